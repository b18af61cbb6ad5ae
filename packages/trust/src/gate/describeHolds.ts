import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import type { Holds, Vouch } from './policy.ts'

/** A condition in words: `valid attestation under … by one of 2 attesters, with level gte 2, made in the last 1 day`. */
export function describeHolds({ schema, attesters, fields, maxAge, attestersMin, vouch }: Holds): string {
  const having = fields.map(({ path, operator, values }) => {
    return `${path.join('.')} ${operator === 'equals' ? '=' : operator} ${values.join(' | ')}`
  })
  const fieldText = having.length === 0 ? '' : `, with ${having.join(' and ')}`
  const age = maxAge === null ? '' : `, made in the last ${formatDuration(maxAge)}`
  const by = vouch === null ? describeAttesters(attesters, attestersMin) : describeVouch(vouch, attestersMin)
  return `valid attestation under ${formatCompositeId(schema)}${by}${fieldText}${age}`
}

function describeVouch({ holds, hops }: Vouch, attestersMin: number): string {
  const count = attestersMin === 1 ? 'an attester' : `${attestersMin} different attesters`
  const verb = holds.role === 'attester' ? 'made' : attestersMin === 1 ? 'holds' : 'hold'
  const further = hops === 1 ? '' : ', or one from an account that does'
  return ` by ${count} who ${verb} a ${describeHolds(holds)}${further}`
}

function describeAttesters(attesters: Holds['attesters'], attestersMin: number): string {
  if (attesters === null)
    return `${attestersMin === 1 ? ' by anybody' : ` by ${attestersMin} different attesters, whoever they are`} (attester: any)`
  const [only, ...others] = attesters
  if (only !== undefined && others.length === 0) return ` by ${checksumAddress(only)}`
  return ` by ${attestersMin === 1 ? 'one' : `${attestersMin} different ones`} of ${attesters.length} attesters`
}

/** Seconds in the largest unit that divides them: `365 days`. */
function formatDuration(seconds: number): string {
  const [length, unit] = units.find(([unitS]) => seconds % unitS === 0) ?? [1, 'second']
  const count = seconds / length
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const
