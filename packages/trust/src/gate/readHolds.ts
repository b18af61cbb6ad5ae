import { readDuration } from '@attestry/server/pipeline/parameters/readDuration.ts'
import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import { parseCompositeId, type ChainId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import { describeInput } from '@attestry/server/pipeline/describeInput.ts'
import {
  readFieldConditions,
  type NoteMistake,
  type Path,
} from '@attestry/server/pipeline/parameters/readFieldConditions.ts'
import type { Holds, Vouch } from './policy.ts'

const attestersMax = 100
/** The members of an object of JSON. */
export type Members = Readonly<Record<string, unknown>>

/**
 * Reads what a term `holds` asks for.
 * @returns null if there is a mistake, which `wrong` has noted.
 */
export function readHolds(
  value: unknown,
  path: Path,
  wrong: NoteMistake,
  isOfAttester = false,
): Holds | null {
  const names = [
    'schema',
    'protocol',
    'chainId',
    'attester',
    'recipient',
    'field',
    'maxAge',
    'distinctAttesters',
  ]
  if (!isJsonObject(value))
    return wrong(path, `must be an object with ${names.join(', ')}, but is ${describeInput(value)}`)
  for (const name of Object.keys(value)) {
    if (!names.includes(name))
      wrong([...path, name], `is no member of holds; its members are ${names.join(', ')}`)
  }
  const schema = readSchema(value, path, wrong)
  const role = value['recipient'] ?? 'subject'
  if (role !== 'subject' && role !== 'attester') {
    wrong(
      [...path, 'recipient'],
      `must be subject (the subject received the attestation) or attester (it made the attestation), but is ${describeInput(role)}`,
    )
  }
  const attester = value['attester']
  const vouch = isJsonObject(attester)
    ? readVouch(attester, [...path, 'attester'], isOfAttester, wrong)
    : null
  const attesters = isJsonObject(attester)
    ? null
    : readAttesters(attester, [...path, 'attester'], isOfAttester ? '' : ' an object with holds,', wrong)
  const fields = readFieldConditions(value['field'], [...path, 'field'], wrong)
  const maxAge =
    value['maxAge'] === undefined ? null : readDuration(value['maxAge'], [...path, 'maxAge'], wrong)
  const attestersMin = value['distinctAttesters'] ?? 1
  if (
    typeof attestersMin !== 'number' ||
    !Number.isInteger(attestersMin) ||
    attestersMin < 1 ||
    attestersMin > attestersMax
  ) {
    return wrong(
      [...path, 'distinctAttesters'],
      `must be a whole number from 1 to ${attestersMax}, but is ${describeInput(attestersMin)}`,
    )
  }
  if (Array.isArray(attesters) && attesters.length < attestersMin) {
    return wrong(
      [...path, 'distinctAttesters'],
      `must be at most ${attesters.length}, the number of attesters, but is ${attestersMin}`,
    )
  }
  if (schema === null || attesters === undefined || (vouch === null && isJsonObject(attester))) return null
  return {
    schema,
    attesters,
    role: role === 'attester' ? 'attester' : 'recipient',
    fields,
    attestersMin,
    maxAge,
    vouch,
  }
}

function readVouch(
  { holds: value, hops = 1, ...others }: Members,
  path: Path,
  isOfAttester: boolean,
  wrong: NoteMistake,
): Vouch | null {
  const [foreign] = Object.keys(others)
  if (foreign !== undefined)
    return wrong([...path, foreign], 'is no member here; the members are holds, hops')
  if (isOfAttester)
    return wrong(path, 'must be addresses or any within an attester; hops: 2 goes one step further')
  if (hops !== 1 && hops !== 2)
    return wrong([...path, 'hops'], `must be 1 or 2, but is ${describeInput(hops)}`)
  const holds = readHolds(value, [...path, 'holds'], wrong, true)
  if (holds === null) return null
  if (hops === 2 && holds.role === 'attester') {
    return wrong([...path, 'hops'], 'must be 1 where the attester made the attestation (recipient: attester)')
  }
  return { holds, hops }
}

function readSchema(
  { schema, protocol, chainId }: Members,
  path: Path,
  wrong: NoteMistake,
): Holds['schema'] | null {
  const must = 'must be the composite id of a schema such as onchain_evm_10_0x8'
  const text =
    typeof schema === 'string' && /^0x[0-9a-f]+$/i.test(schema) && isChainId(chainId)
      ? `onchain_evm_${chainId}_${schema}`
      : schema
  const parsed = typeof text === 'string' ? parseCompositeId(text) : null
  if (parsed?.kind !== 'record') {
    return wrong(
      [...path, 'schema'],
      `${must}, or its local id beside chainId, but is ${describeInput(schema)}`,
    )
  }
  if (chainId !== undefined && !(isChainId(chainId) && String(chainId) === String(parsed.key.chainId))) {
    return wrong(
      [...path, 'chainId'],
      `must be ${parsed.key.chainId}, the chain of the schema, but is ${describeInput(chainId)}`,
    )
  }
  if (protocol !== undefined && typeof protocol !== 'string') {
    return wrong([...path, 'protocol'], `must be the name of a protocol, but is ${describeInput(protocol)}`)
  }
  return protocol === undefined ? parsed.key : { ...parsed.key, protocol }
}

/** undefined: a mistake; null: anyone. */
function readAttesters(
  value: unknown,
  path: Path,
  otherForm: string,
  wrong: NoteMistake,
): readonly Address[] | null | undefined {
  if (value === 'any') return null
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (value === undefined || list.length === 0 || list.length > attestersMax) {
    wrong(
      path,
      `must be a list of 1 to ${attestersMax} addresses,${otherForm} or any: every account may attest under a schema, but is ${describeInput(value)}`,
    )
    return undefined
  }
  const addresses = list.map((each, index) => {
    const address = typeof each === 'string' ? parseAddress(each) : null
    if (address !== null) return address
    const at = Array.isArray(value) ? [...path, index] : path
    return wrong(at, `must be an address of 0x and 40 hexadecimal digits, but is ${describeInput(each)}`)
  })
  const whole = addresses.filter((each) => each !== null)
  return whole.length < addresses.length ? undefined : [...new Set(whole)]
}

function isChainId(value: unknown): value is ChainId | string {
  return (
    (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) ||
    (typeof value === 'string' && /^[1-9][0-9]*$/.test(value))
  )
}
