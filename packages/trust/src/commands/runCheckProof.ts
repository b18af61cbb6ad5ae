import type { Readable } from 'node:stream'
import { readInput } from '@attestry/host/readInput.ts'
import { verifyProofText, type TrustedTexts } from './verifyProofText.ts'

export type CheckProofFlags = TrustedTexts

/**
 * Checks a proof offline, from a file or, where the file is `-`, from `stdin`. Returns lines that say what the proof
 * proves and what it does not.
 * @throws ProofMalformedError if the file holds no proof; ProofInvalidError if the proof is wrong.
 * @throws ConfigError for an option that cannot be used.
 */
export async function runCheckProof(
  file: string,
  flags: CheckProofFlags,
  stdin: Readable,
): Promise<readonly string[]> {
  const { name, text } = await readInput(file, stdin, 'a proof')
  return verifyProofText(text, name, flags)
}
