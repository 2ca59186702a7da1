"""Operations on tiles."""
