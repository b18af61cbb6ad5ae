import type { LocalId } from '../../../model/compositeId.ts'
import type { Connection } from '../connection.ts'
import type { EventRange } from '../../transfer/formatExportLine.ts'
import { effectiveName } from '../schemaNames.ts'
import { findRegisteredSchema, searchText, writeName } from '../writeSchema.ts'
import { positionMask } from '../../layout/rowId.ts'
import { attestationValues, joinValueKeys } from '../../layout/valueKey.ts'
import { aggregateTables, counterColumns, expectCounters, fillAggregates } from './aggregates.ts'
import { readStoredEvents } from './findRecordContradictions.ts'

/**
 * Makes everything that is derived from the records anew, within the running transaction: postings first, then counters, then
 * the trees that count them, then names and their search index. Rows that belong to nothing go.
 */
export function rebuildDerived(connection: Connection): void {
  deleteOrphans(connection)
  rebuildReceived(connection)
  rebuildValues(connection)
  rebuildCounters(connection)
  rebuildNames(connection)
  tellReaders(connection)
}

/** Every chain as a range of all its events. */
export function wholeChains(connection: Connection): EventRange[] {
  return connection
    .statement<[number, number]>('SELECT chain_id, ordinal FROM chain ORDER BY chain_id')
    .all()
    .map(([chainId, ordinal]) => ({ chainId, ordinal, first: 0, last: Number(positionMask) }))
}

function deleteOrphans(connection: Connection): void {
  for (const table of ['attestation', 'anchor', 'undecodable']) {
    connection.exec(`DELETE FROM ${table} WHERE id >> 53 NOT IN (SELECT ordinal FROM chain)`)
  }
  for (const table of ['schema', 'recent_block']) {
    connection.exec(`DELETE FROM ${table} WHERE chain_id NOT IN (SELECT chain_id FROM chain)`)
  }
  for (const table of ['schema_name', 'revocation_claim']) {
    connection.exec(`DELETE FROM ${table} WHERE id NOT IN (SELECT id FROM attestation)`)
  }
}

function rebuildReceived(connection: Connection): void {
  for (const by of ['chain', 'schema']) {
    connection.exec(`DELETE FROM received_by_${by}`)
    connection.exec(
      `INSERT INTO received_by_${by} (address_id, is_self, ${by}_id, attest_timestamp, id) ` +
        `SELECT DISTINCT j.value, j.value = attester_id, a.${by}_id, attest_timestamp, a.id ` +
        "FROM attestation a, json_each('[' || recipient_ids || ']') j WHERE recipient_ids IS NOT NULL",
    )
  }
}

function rebuildValues(connection: Connection): void {
  connection.exec('DELETE FROM value_posting')
  for (const range of wholeChains(connection)) {
    for (const read of readStoredEvents(connection, range)) {
      if (read.kind !== 'event' || read.stored.event.kind !== 'attestationMade') continue
      const { attestation } = read.stored.event
      const id = (BigInt(range.ordinal) << 53n) | BigInt(read.position)
      const values = attestationValues(attestation)
      for (const { key, holder } of values) {
        connection
          .statement(
            'INSERT INTO value_posting (value_key, attest_timestamp, chain_id, id, holder) VALUES (?, ?, ?, ?, ?)',
          )
          .run(key, attestation.attestTimestamp, range.chainId, id, holder)
      }
      const keys = joinValueKeys(values)
      connection
        .statement('UPDATE attestation SET value_keys = ?1 WHERE id = ?2 AND value_keys IS NOT ?1')
        .run(keys, id)
    }
  }
}

/** Counters in the rows of their subjects, then every table of counts. */
export function rebuildCounters(connection: Connection): void {
  expectCounters(connection)
  for (const { table, id, columns } of counterColumns) {
    const assignments = columns.map((column) => `${column} = e.${column}`).join(', ')
    connection.exec(
      `UPDATE ${table} SET ${assignments} FROM temp.expected_${table} e WHERE e.${id} = ${table}.${id}`,
    )
  }
  connection.exec('DELETE FROM schema WHERE registered = 0 AND attestation_count = 0')
  for (const { name } of aggregateTables) connection.exec(`DELETE FROM ${name}`)
  fillAggregates(connection)
}

function rebuildNames(connection: Connection): void {
  connection.exec("INSERT INTO schema_text (schema_text) VALUES ('delete-all')")
  for (const { chainId, ordinal } of wholeChains(connection)) {
    const ids = connection
      .statement<[string]>('SELECT local_id FROM schema WHERE registered = 1 AND chain_id = ?')
      .all(chainId)
    for (const [localId] of ids) {
      const found = findRegisteredSchema(connection, chainId, `0x${localId}` as LocalId)
      if (found === null) continue
      connection
        .statement('UPDATE schema SET description_folded = ? WHERE id = ?')
        .run(searchText(found.schema.definition.description), found.id)
      writeName(connection, found.id, found.schema, effectiveName(connection, ordinal, found))
    }
  }
}

/** Lets readers drop what they keep: the version moves, that of every hour with it, and the journal says to read anew. */
function tellReaders(connection: Connection): void {
  connection.exec('UPDATE index_state SET version = version + 1')
  connection.exec('DELETE FROM hour_version')
  connection.exec(
    'INSERT INTO hour_version (hour, version) SELECT DISTINCT hour, (SELECT version FROM index_state) FROM schema_hour',
  )
  connection.exec(
    'INSERT INTO change (sequence, chain_id) SELECT (SELECT max(sequence) + 1 FROM change), min(chain_id) ' +
      'FROM chain HAVING count(*) > 0',
  )
}
