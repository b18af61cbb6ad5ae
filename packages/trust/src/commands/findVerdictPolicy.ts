import { readFile } from 'node:fs/promises'
import { Check } from 'typebox/schema'
import { policiesAnswer } from '../gate/gateSchemas.ts'
import { parsePolicy } from '../gate/parsePolicy.ts'
import { PolicyMistakes } from '../gate/policyMistakes.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { VerdictInvalidError, VerdictUncheckedError } from '@attestry/core/errors/verdictErrors.ts'
import { readEnvelope, type OtherService } from '@attestry/host/askService.ts'
import { parseConfigText } from '@attestry/host/config/parseConfigText.ts'
import { askIndex } from './askIndex.ts'

interface Places {
  /** A file with the policy. */
  readonly file: string | undefined
  /** The index that is asked. */
  readonly service: OtherService
  /** The index that signed. */
  readonly signer: OtherService
  readonly signal: AbortSignal
}

interface PolicyRow {
  readonly name: string
  readonly policyHash: string
  readonly policy: unknown
}

/**
 * The policy of a verdict in the form in which the index can be asked: its name there, or the policy itself, as the file
 * or the index that signed has it.
 * @throws VerdictInvalidError if the file holds another policy; VerdictUncheckedError if nobody has the policy.
 * @throws ConfigError if the file holds none.
 */
export async function findVerdictPolicy(
  hash: string,
  { file, service, signer, signal }: Places,
): Promise<unknown> {
  const given = file === undefined ? null : await readPolicyFile(file)
  if (file !== undefined && given?.hash !== hash) {
    throw new VerdictInvalidError(
      `The verdict is of another policy: ${hash}, while ${file} is ${given?.hash}`,
    )
  }
  const known = await findRow(service, hash, signal)
  if (known !== null) return known.name
  if (given !== null) return given.written
  const signed = signer === service ? null : await findRow(signer, hash, signal)
  if (signed !== null) return signed.policy
  throw new VerdictUncheckedError(
    `${service.place} has no policy ${hash}; give the policy in a file with --policy`,
  )
}

async function findRow(service: OtherService, hash: string, signal: AbortSignal): Promise<PolicyRow | null> {
  const { data } = readEnvelope(await askIndex(service, 'scan/policies', signal))
  if (!Check(policiesAnswer, data)) return null
  return (data as { readonly rows: readonly PolicyRow[] }).rows.find((row) => row.policyHash === hash) ?? null
}

async function readPolicyFile(file: string) {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`The option --policy must be a file with a policy; ${file} cannot be read`, {
      cause: error,
    })
  }
  const parsed = parseConfigText(text.replace(/^\uFEFF/, ''))
  if (!('value' in parsed)) throw new ConfigError(`${file} line ${parsed.line} ${parsed.text}`)
  try {
    return parsePolicy(parsed.value, {})
  } catch (error) {
    if (!(error instanceof PolicyMistakes)) throw error
    throw new ConfigError(`${file}: ${error.message}`)
  }
}
