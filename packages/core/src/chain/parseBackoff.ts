import { retryAfterMaxMs } from '../model/parseRetryAfter.ts'

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 }

/**
 * The wait that the error of a JSON-RPC answer asks for, in milliseconds. It is given by `backoff_seconds` in the data
 * (Infura), or in words such as "retry in 10s". Null if the error does not say.
 */
export function parseBackoff(message: string, data: unknown): number | null {
  const seconds = /"backoff_seconds":\s*([0-9]+(?:\.[0-9]+)?)/.exec(JSON.stringify(data ?? null))?.[1]
  if (seconds !== undefined && Number(seconds) > 0) return Math.min(Number(seconds) * 1_000, retryAfterMaxMs)
  const said =
    /(?:retry|try again) (?:in|after):? ([0-9]{1,9}(?:\.[0-9]+)?) ?(ms|milliseconds?|s|sec|seconds?|m|min|minutes?)\b/i.exec(
      message,
    )
  if (said === null) return null
  const unit = said[2]?.toLowerCase() ?? 's'
  const unitMs =
    unitsMs[unit.startsWith('mi') && !unit.startsWith('min') ? 'ms' : unit === 'ms' ? 'ms' : unit.charAt(0)]
  return Math.min(Number(said[1]) * (unitMs ?? 1_000), retryAfterMaxMs)
}
