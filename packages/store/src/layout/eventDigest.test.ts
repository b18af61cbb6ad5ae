import { expect, test } from 'vitest'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { generateBlocks } from '../testing/generatedChain.ts'
import { eventText } from './eventDigest.ts'

/** Members that are no part of a digest, with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'schemaRegistered.schema.key.chainId': 'a digest is of one chain',
  'schemaRegistered.position': 'the schema has the position too',
  'schemaRegistered.schema.transactionSender': 'a setting asks for it',
  'schemaRegistered.schema.definition.name': 'it follows from the raw text',
  'schemaRegistered.schema.definition.description': 'it follows from the raw text',
  'schemaRegistered.schema.definition.fields': 'they follow from the raw text',
  'attestationMade.attestation.key.chainId': 'a digest is of one chain',
  'attestationMade.position': 'the attestation has the position too',
  'attestationMade.attestation.transactionSender': 'a setting asks for it',
  'attestationMade.attestation.revocationAtRead.kind': 'it depends on the time of the read',
  'metadataSet.body': 'it depends on the time of the read',
  'undecodableLog.reason': 'it is a sentence of this program',
}

/** An event of every kind. */
const events = generateBlocks(
  5,
  [],
  [
    ...[0, 7, 2, 5, 6].map((kind) => ({ kind, gap: 1, who: 1, whom: 4, what: kind === 2 ? 0 : 3, text: 5 })),
    { kind: 5, gap: 1, who: 1, whom: 4, what: 4, text: 5 },
  ],
  'a',
).flatMap((block) => block.events)

test('every member of every event is part of its text, but for those that are left out', () => {
  const found = new Set<string>()
  for (const event of events) {
    for (const path of membersOf(event)) {
      const changed = structuredClone(event)
      change(changed, path)
      if (eventText(changed) === eventText(event)) found.add([event.kind, ...path].join('.'))
    }
  }
  expect([...found].sort()).toEqual(Object.keys(leftOut).sort())
})

test('free text cannot pass for other members', () => {
  const [named] = events.filter((event) => event.kind === 'schemaNamed')
  if (named === undefined) throw new Error('there is a name')
  const text = eventText({ ...named, name: 'a" "b' })
  expect(text).not.toBe(eventText({ ...named, name: 'a' }) + ' "b"')
  expect(JSON.parse(text.slice(text.indexOf('"')))).toBe('a" "b')
})

/** The paths to the values of an object; a list is one value. */
function membersOf(object: object): string[][] {
  return Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'kind' && 'position' in object) return []
    const isInner = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isInner ? membersOf(value).map((path) => [name, ...path]) : [[name]]
  })
}

function change(event: DomainEvent, path: readonly string[]): void {
  const owner = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>(
      (object, name) => object[name] as Record<string, unknown>,
      event as unknown as Record<string, unknown>,
    )
  const name = path.at(-1) ?? ''
  owner[name] = other(owner[name])
}

function other(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return `${value}1`
    case 'number':
      return value + 1
    case 'bigint':
      return value + 1n
    case 'boolean':
      return !value
    default:
      return Array.isArray(value) ? [] : 'now there is one'
  }
}
