import { isDeepStrictEqual } from 'node:util'
import type { ExpectedLine } from './expectedIndex.ts'

/** Maximum number of differences to report. The others are mostly consequences of the first ones. */
const toldMax = 5

/**
 * The differences between an export and the expected lines, as sentences; empty if they agree. Lines of the same type
 * are compared in order, by the expected members. Other members of the export do not depend on the chain.
 */
export function compareExport(
  lines: readonly string[],
  expected: readonly ExpectedLine[],
): readonly string[] {
  const found = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const differences: string[] = []
  const types = new Set(expected.map(({ type }) => type))
  const isRecord = ({ type }: Record<string, unknown>) => typeof type === 'string' && knownTypes.has(type)
  for (const type of new Set([...types, ...found.filter(isRecord).map(({ type }) => String(type))])) {
    const wanted = expected.filter((line) => line.type === type)
    const got = found.filter((line) => line['type'] === type)
    if (wanted.length !== got.length) {
      differences.push(`${got.length} lines of type ${type} instead of ${wanted.length}`)
    }
    for (let i = 0; i < Math.max(wanted.length, got.length) && differences.length < toldMax; i++) {
      differences.push(...compareLine(type, got[i], wanted[i]))
    }
  }
  return differences.slice(0, toldMax)
}

const knownTypes: ReadonlySet<string> = new Set([
  'chain',
  'schema',
  'unregisteredSchema',
  'schemaName',
  'attestation',
  'anchor',
  'metadata',
  'undecodable',
  'address',
])

function compareLine(
  type: string,
  got: Record<string, unknown> | undefined,
  wanted: ExpectedLine | undefined,
): string[] {
  if (got === undefined) return [`missing: ${shorten(wanted)}`]
  if (wanted === undefined) return [`one too many: ${shorten(got)}`]
  const differences = Object.entries(wanted).flatMap(([key, value]) =>
    isDeepStrictEqual(got[key], value) ? [] : [`${key} is ${shorten(got[key])} instead of ${shorten(value)}`],
  )
  // A record that changed says when, and no other does (docs/api.md, "Records").
  if (type === 'attestation' && 'lastSyncAt' in got && (got['lastSyncAt'] !== null) !== wanted['revoked']) {
    differences.push(
      `lastSyncAt is ${shorten(got['lastSyncAt'])} though revoked is ${shorten(wanted['revoked'])}`,
    )
  }
  if (differences.length === 0) return []
  const name =
    wanted['id'] ?? wanted['address'] ?? `${shorten(wanted['blockNumber'])}/${shorten(wanted['eventIndex'])}`
  return [`${type} ${shorten(name)}: ${differences.join('; ')}`]
}

function shorten(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 400)
}
