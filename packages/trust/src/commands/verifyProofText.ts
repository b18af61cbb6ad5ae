import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { ProofInvalidError, ProofMalformedError } from '@attestry/core/errors/proofErrors.ts'
import { parseAddress, parseHash, type Address, type Hash } from '@attestry/core/model/hex.ts'
import { quoteText } from '@attestry/host/config/describeValue.ts'
import { describeProof } from './describeProof.ts'

/** Values that a reader trusts, as text; each is compared with the proof. */
export interface TrustedTexts {
  readonly blockHash?: string
  /** An address, or several with commas: all contracts that may decide. */
  readonly contract?: string
}

/**
 * Checks the JSON text of a proof offline. Returns lines that say what the proof proves and what it does not.
 * @param name what messages call the text.
 * @throws ProofMalformedError where the text holds no proof; ProofInvalidError where the proof is wrong.
 * @throws ConfigError for a trusted value that cannot be used.
 */
export async function verifyProofText(
  text: string,
  name: string,
  { blockHash, contract }: TrustedTexts,
): Promise<readonly string[]> {
  const trusted = { blockHash: readBlockHash(blockHash), contracts: readContracts(contract) }
  const { isStateProofText } = await import('../stateProofs/parseStateProof.ts')
  if (isStateProofText(text)) return await verifyStateText(text, name, trusted)
  // Loaded on demand: the libraries of proofs take 25 MB in each process that serves.
  const [{ checkProof }, { parseProof }] = await Promise.all([
    import('../proofs/checkProof.ts'),
    import('../proofs/parseProof.ts'),
  ])
  const parsed = parseProof(text)
  if (parsed.kind === 'none') throw new ProofMalformedError(`${name} is no proof: it ${parsed.reason}`)
  const { proof } = parsed
  const check = await checkProof(proof)
  if (check.kind === 'invalid') throw new ProofInvalidError(`The proof is not valid: ${check.reason}`)
  if (trusted.blockHash !== null && trusted.blockHash !== proof.block.hash) {
    throw new ProofInvalidError(
      `The proof is of another block: its hash is ${proof.block.hash}, not ${trusted.blockHash}`,
    )
  }
  if (trusted.contracts !== null && !trusted.contracts.includes(proof.log.address)) {
    throw new ProofInvalidError(
      `The proof is of another contract: ${proof.log.address} made the log, not ${trusted.contracts.join(' or ')}`,
    )
  }
  return describeProof(proof, {
    isBlockTrusted: trusted.blockHash !== null,
    isContractTrusted: trusted.contracts !== null,
  })
}

async function verifyStateText(
  text: string,
  name: string,
  {
    blockHash,
    contracts,
  }: { readonly blockHash: Hash | null; readonly contracts: readonly Address[] | null },
): Promise<readonly string[]> {
  const [{ parseStateProof }, { checkStateProof }, { findDistrust }, { describeStateProof }] =
    await Promise.all([
      import('../stateProofs/parseStateProof.ts'),
      import('../stateProofs/checkStateProof.ts'),
      import('../stateProofs/verifyStateProof.ts'),
      import('./describeProof.ts'),
    ])
  const parsed = parseStateProof(text)
  if (parsed.kind === 'none') throw new ProofMalformedError(`${name} is no state proof: it ${parsed.reason}`)
  const check = checkStateProof(parsed.proof)
  if (check.kind === 'invalid') throw new ProofInvalidError(`The proof is not valid: ${check.reason}`)
  const distrust = findDistrust(parsed.proof, {
    ...(blockHash === null ? {} : { blockHash }),
    ...(contracts === null ? {} : { contract: contracts }),
  })
  if (distrust !== null) throw new ProofInvalidError(capitalised(distrust))
  return describeStateProof(parsed.proof, {
    isBlockTrusted: blockHash !== null,
    isContractTrusted: contracts !== null,
  })
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function readBlockHash(given: string | undefined): Hash | null {
  if (given === undefined) return null
  const hash = parseHash(given)
  if (hash !== null) return hash
  throw new ConfigError(
    `The option --block-hash must be 0x and 64 hexadecimal digits, but is ${quoteText(given)}`,
  )
}

function readContracts(given: string | undefined): readonly Address[] | null {
  if (given === undefined) return null
  return given.split(',').map((text) => {
    const address = parseAddress(text.trim())
    if (address !== null) return address
    throw new ConfigError(
      `The option --contract must be 0x and 40 hexadecimal digits, or several such with commas, but is ${quoteText(given)}`,
    )
  })
}
