import type { DataLocation } from '@attestry/core/model/records.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { createChanges } from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import { fieldState } from '../layout/fieldState.ts'
import { bytesHex } from '../layout/hexColumn.ts'
import { writeFields } from '../writing/writeFields.ts'
import { loadSchemasById, trimMemory, type WriterState } from '../writing/writerState.ts'

type PayloadRow = [
  id: string,
  schemaId: number,
  timestamp: number,
  protocol: string,
  dataLocation: string,
  data: Uint8Array,
]

/** Attestations whose values are written at a time. */
const rowsPerStep = 5_000

/** Indexes the fields of the attestations of a chain, schema by schema, from their rows. */
export async function buildFields(state: WriterState, chain: ChainRow): Promise<void> {
  const { tables } = state
  const batches = tables.batches<PayloadRow>(
    // In this order SQLite walks an index, and need not sort the payloads of all attestations in memory.
    'SELECT CAST(a.id AS text), a.schema_id, a.attest_timestamp, a.protocol, a.data_location, a.data FROM schema s ' +
      'CROSS JOIN attestation a WHERE a.schema_id = s.id AND s.chain_id = ? ' +
      `AND s.field_state IN (${fieldState.building}, ${fieldState.complete}) ` +
      `AND coalesce(s.payload_fields_json, s.fields_json, '[]') <> '[]' ORDER BY s.id, a.attest_timestamp, a.id`,
    chain.chainId,
  )
  let waiting: PayloadRow[] = []
  for await (const rows of batches) {
    waiting.push(...rows)
    if (waiting.length < rowsPerStep) continue
    await writePart(state, chain, waiting)
    waiting = []
  }
  await writePart(state, chain, waiting)
}

async function writePart(state: WriterState, chain: ChainRow, rows: readonly PayloadRow[]): Promise<void> {
  const schemas = await loadSchemasById(
    state,
    rows.map(([, schemaId]) => schemaId),
  )
  const attestations = rows.flatMap(([id, schemaId, timestamp, protocol, dataLocation, data]) => {
    const schema = schemas.get(schemaId)
    if (schema === undefined) return []
    return [
      {
        id: BigInt(id),
        timestamp,
        schema,
        protocol,
        data: bytesHex(data),
        dataLocation: dataLocation as DataLocation,
      },
    ]
  })
  await writeFields(state, createChanges(1, chain, unixMilliseconds(0), false), attestations)
  trimMemory(state)
}
