import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { ConfigError } from '../errors/configErrors.ts'
import { verifyProofText, type TrustedTexts } from './verifyProofText.ts'

export type CheckProofFlags = TrustedTexts

/**
 * Checks a proof offline, from a file or, where the file is `-`, from `stdin`. Returns lines that say what the proof proves and what
 * it does not.
 * @throws ProofMalformedError where the file holds no proof; ProofInvalidError where the proof is wrong.
 * @throws ConfigError for an option that cannot be used.
 */
export async function runCheckProof(
  file: string,
  flags: CheckProofFlags,
  stdin: Readable,
): Promise<readonly string[]> {
  const name = file === '-' ? 'The standard input' : file
  return verifyProofText(file === '-' ? await text(stdin) : await readProofFile(file), name, flags)
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
