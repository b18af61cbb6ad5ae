import { readFile } from 'node:fs/promises'
import { Check } from 'typebox/schema'
import { gateAnswer } from '../gate/gateSchemas.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import {
  VerdictDisputedError,
  VerdictInvalidError,
  VerdictUncheckedError,
} from '@attestry/core/errors/verdictErrors.ts'
import { currentTimeMs } from '@attestry/core/model/time.ts'
import { openService, readEnvelope, type OtherService } from '@attestry/host/askService.ts'
import { portDefault } from '@attestry/host/config/configSchema.ts'
import type { CommandInput } from '@attestry/host/readInput.ts'
import type { WriteLine } from '@attestry/host/standardOutput.ts'
import { askIndex } from './askIndex.ts'
import { findVerdictPolicy } from './findVerdictPolicy.ts'
import { formatTime, readVerdict, type SignedVerdict } from './readVerdict.ts'

/** Options of `attestry check-verdict`, not yet checked. */
export interface CheckVerdictFlags {
  /** The index that is asked. */
  readonly url?: string
  /** The URL of the index that signed, or a file with its keys; without it, the keys of the index that is asked. */
  readonly keys?: string
  /** A file with the policy. */
  readonly policy?: string
  readonly audience?: string
  readonly nonce?: string
  readonly expired?: boolean
}

/** The answer of the gate for one subject. */
interface JudgedAgain {
  readonly rows: readonly [{ readonly verdict: string; readonly reasons: readonly string[] }]
  readonly policyHash: string
}

/**
 * Checks a signed verdict, runs its policy again on an index in the state that the verdict is of, and writes what was
 * found.
 * @throws VerdictMalformedError, VerdictInvalidError if the file is no signed verdict, or the verdict does not hold.
 * @throws VerdictDisputedError if the index disagrees; VerdictUncheckedError if it cannot say.
 * @throws ConfigError for an option that cannot be used.
 */
export async function runCheckVerdict(
  input: CommandInput,
  flags: CheckVerdictFlags,
  write: WriteLine,
  signal: AbortSignal,
  nowSeconds = Math.floor(currentTimeMs() / 1000),
): Promise<void> {
  const service = openService('--url', flags.url ?? `http://127.0.0.1:${portDefault}`)
  const signer = flags.keys !== undefined && isUrl(flags.keys) ? openService('--keys', flags.keys) : service
  const keys =
    flags.keys === undefined || isUrl(flags.keys)
      ? await fetchKeys(signer, signal)
      : await readKeys(flags.keys)
  const verdict = await readVerdict(input, keys, flags, nowSeconds)
  for (const line of describeVerdict(verdict, keys.keysOf)) await write(line)
  if (verdict.verdict === 'unknown') {
    throw new VerdictUncheckedError('The verdict is unknown: it says nothing that an index could agree with')
  }
  const policy = await findVerdictPolicy(verdict.policyHash, { file: flags.policy, service, signer, signal })
  const judged = await judgeAgain(service, verdict, policy, signal)
  const [{ verdict: found, reasons }] = judged.rows
  if (found === 'unknown') {
    throw new VerdictUncheckedError(`${service.place} cannot judge: ${reasons.join(' ')}`)
  }
  if (found !== verdict.verdict) {
    throw new VerdictDisputedError(
      `${service.place} disagrees: in the same state, its verdict is ${found}: ${reasons.join(' ')}`,
    )
  }
  await write(`${service.place} agrees: ${found}`)
  for (const reason of reasons) await write(`  ${reason}`)
}

function describeVerdict(verdict: SignedVerdict, keysOf: string): readonly string[] {
  const { subject, policyHash, asOf, at, iat, exp, aud, nonce } = verdict
  const claims = [
    aud === undefined ? [] : [`for ${[aud].flat().join(', ')}`],
    nonce === undefined ? [] : [`nonce ${nonce}`],
  ]
  return [
    `Signed by a key of ${keysOf} at ${formatTime(iat)}, until ${formatTime(exp)}${claims
      .flat()
      .map((claim) => `, ${claim}`)
      .join('')}:`,
    `  ${verdict.verdict} for ${subject} by the policy ${policyHash}`,
    ...asOf.map(({ chainId, block, hash }) => {
      return block === null
        ? `  as of chain ${chainId} at ${formatTime(at)}`
        : `  as of block ${block} of chain ${chainId}${hash === null ? '' : ` (${hash})`}, at ${formatTime(at)}`
    }),
  ]
}

/** The policy on the index, in the state that the verdict is of. */
async function judgeAgain(
  service: OtherService,
  { subject, asOf, at, policyHash }: SignedVerdict,
  policy: unknown,
  signal: AbortSignal,
): Promise<JudgedAgain> {
  const { place } = service
  const answer = await askIndex(service, 'scan/gate', signal, { policy, subjects: [subject], asOf, at })
  const { data, message } = readEnvelope(answer)
  if (answer.status === 409) throw new VerdictUncheckedError(`${place} is behind: ${message}`)
  if (answer.status === 412) throw new VerdictDisputedError(`${place} disagrees: ${message}`)
  if (answer.status !== 200) throw new VerdictUncheckedError(`${place} answers ${answer.status}: ${message}`)
  if (!Check(gateAnswer, data) || data.rows.length !== 1) {
    throw new VerdictUncheckedError(`${place} answers something other than a verdict`)
  }
  const judged = data as unknown as JudgedAgain
  if (judged.policyHash === policyHash) return judged
  throw new VerdictUncheckedError(`${place} judged by another policy, ${judged.policyHash}`)
}

async function fetchKeys(service: OtherService, signal: AbortSignal) {
  const keysOf = service.place
  const answer = await askIndex(service, '.well-known/jwks.json', signal)
  if (answer.status !== 200 || typeof answer.body !== 'object' || answer.body === null) {
    throw new VerdictUncheckedError(`${keysOf} has no keys: its /.well-known/jwks.json is a ${answer.status}`)
  }
  return { keys: answer.body, keysOf }
}

async function readKeys(file: string) {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new ConfigError(
      `The option --keys must be the URL of the index that signed, or a file with its /.well-known/jwks.json; ${file} cannot be read`,
      { cause: error },
    )
  }
  try {
    const keys: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (typeof keys === 'object' && keys !== null) return { keys, keysOf: file }
  } catch {
    // The sentence below says what is expected.
  }
  throw new VerdictInvalidError(`${file} holds no set of keys (JWKS)`)
}

function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text)
}
