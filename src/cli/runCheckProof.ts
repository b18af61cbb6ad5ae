import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ConfigError } from '../errors/configErrors.ts'
import { ProofInvalidError, ProofMalformedError } from '../errors/proofErrors.ts'
import { parseAddress, parseHash, type Address, type Hash } from '../model/hex.ts'
import { checkProof } from '../proofs/checkProof.ts'
import { parseProof } from '../proofs/parseProof.ts'
import { quoteText } from './config/describeValue.ts'
import { describeProof } from './describeProof.ts'

export interface CheckProofFlags {
  readonly blockHash?: string
  readonly contract?: string
}

/**
 * Checks a proof offline, from a file or, where the file is `-`, from `stdin`. Returns lines that say what the proof proves and what
 * it does not.
 * @throws ProofMalformedError where the file holds no proof; ProofInvalidError where the proof is wrong.
 * @throws ConfigError for an option that cannot be used.
 */
export async function runCheckProof(
  file: string,
  { blockHash, contract }: CheckProofFlags,
  stdin: Readable,
): Promise<readonly string[]> {
  const trusted = { blockHash: readBlockHash(blockHash), contract: readContract(contract) }
  const name = file === '-' ? 'The standard input' : file
  const parsed = parseProof(file === '-' ? await text(stdin) : await readProofFile(file))
  if (parsed.kind === 'none') throw new ProofMalformedError(`${name} is no proof: it ${parsed.reason}`)
  const { proof } = parsed
  const check = await checkProof(proof)
  if (check.kind === 'invalid') throw new ProofInvalidError(`The proof is not valid: ${check.reason}`)
  if (trusted.blockHash !== null && trusted.blockHash !== proof.block.hash) {
    throw new ProofInvalidError(
      `The proof is of another block: its hash is ${proof.block.hash}, not ${trusted.blockHash}`,
    )
  }
  if (trusted.contract !== null && trusted.contract !== proof.log.address) {
    throw new ProofInvalidError(
      `The proof is of another contract: ${proof.log.address} made the log, not ${trusted.contract}`,
    )
  }
  return describeProof(proof, {
    isBlockTrusted: trusted.blockHash !== null,
    isContractTrusted: trusted.contract !== null,
  })
}

async function readProofFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const reason = readFailures[code] ?? `cannot be read (${code})`
    throw new ConfigError(`The file ${file} ${reason}`, { cause: error })
  }
}

const readFailures: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; give the path of a proof, or - for the standard input',
  EACCES: 'cannot be read by this user; give its reader permission',
  EISDIR: 'is a folder; give the path of a proof',
}

function readBlockHash(given: string | undefined): Hash | null {
  if (given === undefined) return null
  const hash = parseHash(given)
  if (hash !== null) return hash
  throw new ConfigError(
    `The option --block-hash must be 0x and 64 hexadecimal digits, but is ${quoteText(given)}`,
  )
}

function readContract(given: string | undefined): Address | null {
  if (given === undefined) return null
  const address = parseAddress(given)
  if (address !== null) return address
  throw new ConfigError(
    `The option --contract must be 0x and 40 hexadecimal digits, but is ${quoteText(given)}`,
  )
}
