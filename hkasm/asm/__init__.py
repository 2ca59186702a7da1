"""Programs: builder, printer, encoder, decoder, toolchain, code objects."""
