import { type AbiParameter, type AbiType, isSameType, spellType } from './abiType.ts'
import { parseEthers5 } from './parseEthers5.ts'
import { parseEthers6 } from './parseEthers6.ts'

/**
 * The parameters of a text as `SchemaEncoder` of EAS's SDK parses it. The grammar of ethers 6 (the SDK since 1.0) is
 * tried first, then that of ethers 5 (the SDK up to 0.28, and easscan). Null for a text that neither accepts. They differ
 * in two ways: ethers 6 accepts line feeds; ethers 5 accepts any name without white space, comma, bracket or parenthesis.
 *
 * `typeText` is as written where it says the same on its own, else the type in the usual spelling. Types nest up to
 * `abiNestingMax`. Text that closes the parenthesis which the SDK puts around it (`bool a) returns (bool b`) is
 * refused.
 */
export function parseEthersParameters(text: string): readonly AbiParameter[] | null {
  return parseRaw(text)?.map(withOwnTypeText) ?? null
}

/**
 * As `parseEthersParameters`, but what ethers 5 takes is as ethers 5 reads it, and types are as they happen to be cut.
 * The readings differ in names with `ipfsHash`, which are `bytes32` for ethers 5.
 */
export function parsePrintedParameters(text: string): readonly AbiParameter[] | null {
  return parseEthers5(text) ?? parseEthers6(text)
}

/** The type of a text that is one parameter without a name; null for any other text. */
export function parseEthersType(text: string): AbiType | null {
  const [parameter, ...others] = parseEthersParameters(text) ?? []
  return parameter?.name === '' && others.length === 0 ? parameter.type : null
}

function parseRaw(text: string): readonly AbiParameter[] | null {
  return parseEthers6(text) ?? parseEthers5(text)
}

function withOwnTypeText({ name, typeText, type }: AbiParameter): AbiParameter {
  const [alone, ...others] = parseRaw(typeText) ?? []
  const saysTheSame = alone?.name === '' && others.length === 0 && isSameType(alone.type, type)
  return { name, typeText: saysTheSame ? typeText : spellType(type), type }
}
