// Prints every machine opcode that the installed LLVM's disassembler knows for one AMD GPU, one JSON object a line:
// text and bytes of a sample, operands with their register classes, registers read and written implicitly.
// First come the register classes that the operands name: width in bits, register files, even alignment of tuples.
//
// tools/llvm_opcodes.py builds and runs this; it needs LLVM's headers and libLLVM.

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

using namespace llvm;

namespace {

sigjmp_buf Before;

void leave(int) { siglongjmp(Before, 1); }

struct Sample {
  std::string text;
  std::vector<uint8_t> bytes;
};

// Second dwords that decide which opcode a first one is: VGPRs, constants, no saddr, AGPRs, SDWA and DPP controls.
const uint32_t Seconds[] = {0x04020100, 0x00000000, 0x02010080, 0x007f0000, 0x00800000, 0x00ff0000, 0x80000000,
                            0x80800000, 0x06060600, 0x00060600, 0x06860600, 0x86060600, 0xff08e400, 0x1c020100, 0x1c000000};
// Sources of the 32-bit VALU formats: v0, s0, SDWA, DPP, a literal, and 0.
const uint32_t Sources[] = {0x100, 0x000, 0x0f9, 0x0fa, 0x0ff, 0x080};
std::vector<uint32_t> lowHalves(uint32_t High) {
  std::vector<uint32_t> Lows;
  if (High >> 9 == 0x3f) // VOP1: opcode in bits 16:9
    for (uint32_t Op = 0; Op < 128; ++Op)
      for (uint32_t Source : Sources)
        Lows.push_back(Op << 9 | Source);
  else if (High >> 7 == 0x17d) // SOP1: opcode in bits 15:8
    for (uint32_t Op = 0; Op < 256; ++Op)
      for (uint32_t Source : {0x00u, 0xffu})
        Lows.push_back(Op << 8 | Source);
  else if (High >> 15 == 0) // VOP2, VOPC
    for (uint32_t Source : Sources)
      Lows.push_back(Source);
  else
    for (uint32_t Bits = 0; Bits < 32; ++Bits) // offen, idxen, segment, sc0, op_sel ... and their neighbours
      Lows.push_back(Bits << 11);
  return Lows;
}

void writeNames(raw_ostream &Out, const char *Key, ArrayRef<MCPhysReg> Registers, const MCRegisterInfo &Info) {
  Out << ",\"" << Key << "\":[";
  bool First = true;
  for (MCPhysReg Register : Registers) {
    Out << (First ? "\"" : ",\"") << Info.getName(Register) << '"';
    First = false;
  }
  Out << ']';
}

std::string escaped(StringRef Text) {
  std::string Result;
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += C == '\t' ? ' ' : C;
  }
  return Result;
}

void writeClass(raw_ostream &Out, const MCRegisterInfo &Info, unsigned Id) {
  const MCRegisterClass &Class = Info.getRegClass(Id);
  std::set<std::string> Files;
  bool Aligned = true;
  for (MCPhysReg Register : Class) {
    StringRef Name = Info.getName(Register);
    std::string File = Name.starts_with("VGPR") ? "v" : Name.starts_with("AGPR") ? "a" : "s";
    Files.insert(File);
    if ((File != "s" || Name.starts_with("SGPR")) && (atoi(Name.drop_front(4).str().c_str()) & 1))
      Aligned = false;
  }
  Out << "{\"class\":\"" << Info.getRegClassName(&Class) << "\",\"bits\":" << Class.getSizeInBits()
      << ",\"files\":\"";
  for (const std::string &File : Files)
    Out << File;
  Out << "\",\"even\":" << (Aligned ? "true" : "false") << "}\n";
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    errs() << "usage: llvm_opcodes ARCH\n";
    return 2;
  }
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  Triple Target("amdgcn-amd-amdhsa");
  std::string Error;
  const llvm::Target *Amd = TargetRegistry::lookupTarget(Target, Error);
  if (!Amd) {
    errs() << Error << '\n';
    return 1;
  }
  MCTargetOptions Options;
  std::unique_ptr<MCRegisterInfo> Registers(Amd->createMCRegInfo(Target));
  std::unique_ptr<MCAsmInfo> Assembly(Amd->createMCAsmInfo(*Registers, Target, Options));
  std::unique_ptr<MCInstrInfo> Instructions(Amd->createMCInstrInfo());
  std::unique_ptr<MCSubtargetInfo> Chip(Amd->createMCSubtargetInfo(Target, argv[1], ""));
  MCContext Context(Target, Assembly.get(), Registers.get(), Chip.get());
  std::unique_ptr<MCDisassembler> Disassembler(Amd->createMCDisassembler(*Chip, Context));
  std::unique_ptr<MCInstPrinter> Printer(
      Amd->createMCInstPrinter(Target, Assembly->getAssemblerDialect(), *Assembly, *Instructions, *Registers));

  std::signal(SIGSEGV, leave);
  std::map<unsigned, Sample> Found;
  auto look = [&](std::initializer_list<uint32_t> Words) {
    uint8_t Bytes[16] = {};
    size_t Count = 0;
    for (uint32_t Word : Words)
      for (unsigned Shift = 0; Shift < 32; Shift += 8)
        Bytes[Count++] = Word >> Shift & 0xff;
    MCInst Instruction;
    uint64_t Size = 0;
    if (sigsetjmp(Before, 1) != 0)
      return; // a word that the disassembler or the printer fails on
    if (Disassembler->getInstruction(Instruction, Size, ArrayRef<uint8_t>(Bytes, Count), 0, nulls()) !=
        MCDisassembler::Success)
      return;
    auto At = Found.find(Instruction.getOpcode());
    if (At != Found.end() && At->second.text.find("/*") == std::string::npos)
      return;
    std::string Text;
    raw_string_ostream Stream(Text);
    Printer->printInst(&Instruction, 0, "", *Chip, Stream);
    Found[Instruction.getOpcode()] = {Text, std::vector<uint8_t>(Bytes, Bytes + Size)};
  };
  for (uint32_t High = 0; High < 0x10000; ++High)
    for (uint32_t Low : lowHalves(High)) {
      if (High >> 10 == 0x36) // LDS: even data registers
        look({High << 16 | Low, 0x04040200, 0, 0});
      for (uint32_t Second : Seconds)
        look({High << 16 | Low, Second, 0, 0});
    }
  // Of the products of 8, 6 and 4 bits each pair of formats is an opcode of its own, plain and scaled.
  for (uint32_t Product : {0xd3ad0000u, 0xd3ae0000u})
    for (uint32_t A = 0; A < 5; ++A)
      for (uint32_t B = 0; B < 5; ++B)
        for (uint32_t Accumulator : {0u, 0x8000u}) {
          uint32_t First = Product | A << 8 | Accumulator, Second = 0x04020100 | B << 29;
          look({First, Second, 0, 0});
          look({0xd3ac0000, 0x00020100, First | 0x800, Second});
        }

  // Some operands' classes depend on the chip.
  unsigned Mode = Chip->getHwMode(MCSubtargetInfo::HwMode_RegInfo);
  auto classOf = [&](const MCOperandInfo &Operand) { return Instructions->getOpRegClassID(Operand, Mode); };
  std::set<unsigned> Classes;
  for (const auto &[Opcode, Sample] : Found)
    for (const MCOperandInfo &Operand : Instructions->get(Opcode).operands())
      if (classOf(Operand) >= 0)
        Classes.insert(classOf(Operand));
  for (unsigned Id : Classes)
    writeClass(outs(), *Registers, Id);
  for (const auto &[Opcode, Sample] : Found) {
    const MCInstrDesc &Description = Instructions->get(Opcode);
    outs() << "{\"op\":\"" << Instructions->getName(Opcode) << "\",\"text\":\"" << escaped(StringRef(Sample.text).trim())
           << "\",\"bytes\":\"";
    for (uint8_t Byte : Sample.bytes)
      outs() << format_hex_no_prefix(Byte, 2);
    outs() << "\",\"defs\":" << Description.getNumDefs() << ",\"operands\":[";
    for (unsigned I = 0; I < Description.getNumOperands(); ++I) {
      const MCOperandInfo &Operand = Description.operands()[I];
      outs() << (I ? ",\"" : "\"");
      if (classOf(Operand) >= 0)
        outs() << Registers->getRegClassName(&Registers->getRegClass(classOf(Operand))) << '"';
      else
        outs() << "imm\"";
    }
    outs() << ']';
    writeNames(outs(), "impuse", Description.implicit_uses(), *Registers);
    writeNames(outs(), "impdef", Description.implicit_defs(), *Registers);
    outs() << "}\n";
  }
  return 0;
}
