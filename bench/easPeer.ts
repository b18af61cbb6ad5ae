import pg from 'pg'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { zeroHash } from '@attestry/core/model/hex.ts'
import { easInterface } from '@attestry/core/protocols/eas/easInterface.ts'
import { startPostgresServer } from '@attestry/test/harness/postgresServer.ts'
import { postgresSettings } from './benchStore.ts'
import { attestationAt, revokedAt, schemas } from './easContent.ts'

/** The rows of EAS's self-hosted indexer, and the statements that its client makes. */
export interface EasPeer {
  /** Runs statements one after another, as one request of its interface does. */
  run(statements: readonly PeerStatement[]): Promise<void>
  close(): Promise<void>
}

export interface PeerStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** The tables of its published schema (eas-indexing-service, `prisma/schema.prisma`): no index but primary keys. */
const tables = `
  CREATE TABLE "Schema" ("id" TEXT PRIMARY KEY, "schema" TEXT NOT NULL, "creator" TEXT NOT NULL, "resolver" TEXT NOT NULL,
    "revocable" BOOLEAN NOT NULL, "index" TEXT NOT NULL, "txid" TEXT NOT NULL, "time" INTEGER NOT NULL);
  CREATE TABLE "Attestation" ("id" TEXT PRIMARY KEY, "data" TEXT NOT NULL, "decodedDataJson" TEXT NOT NULL DEFAULT '',
    "recipient" TEXT NOT NULL, "attester" TEXT NOT NULL, "time" INTEGER NOT NULL, "timeCreated" INTEGER NOT NULL,
    "expirationTime" INTEGER NOT NULL, "revocationTime" INTEGER NOT NULL, "refUID" TEXT NOT NULL,
    "revocable" BOOLEAN NOT NULL, "revoked" BOOLEAN NOT NULL, "txid" TEXT NOT NULL,
    "schemaId" TEXT NOT NULL REFERENCES "Schema" ("id"), "ipfsHash" TEXT NOT NULL, "isOffchain" BOOLEAN NOT NULL);
`

/** Rows of one statement. */
const batchSize = 5_000

/** Fills a PostgreSQL server of its own, durable and with the settings of the other benchmarks. */
export async function openEasPeer(attestations: number): Promise<EasPeer> {
  const server = await startPostgresServer({ durable: true, settings: postgresSettings })
  const client = new pg.Client({ connectionString: await server.createDatabase('peer') })
  await client.connect()
  await client.query(tables)
  await insert(
    client,
    'Schema',
    schemas.map((schema, index) => ({
      id: schema.key.localId,
      schema: schema.rawText,
      creator: checksumAddress(schema.registrant),
      resolver: checksumAddress(schema.resolver),
      revocable: schema.revocable,
      index: String(index + 1),
      txid: schema.transactionHash,
      time: schema.registerTimestamp,
    })),
  )
  const formats = new Map(
    schemas.map(({ key, rawText }) => [key.localId, easInterface.decodedDataFormat(rawText)]),
  )
  const rowOf = (number: number) => {
    const attestation = attestationAt(number)
    const revocationTime = revokedAt(number)
    const [recipient] = attestation.recipients
    return {
      id: attestation.key.localId,
      data: attestation.data,
      decodedDataJson: formats.get(attestation.schemaLocalId)?.(attestation.data) ?? '',
      recipient: recipient?.kind === 'address' ? checksumAddress(recipient.address) : '',
      attester: checksumAddress(attestation.attester),
      time: attestation.attestTimestamp,
      timeCreated: attestation.attestTimestamp,
      expirationTime: 0,
      revocationTime: revocationTime ?? 0,
      refUID: attestation.linkedAttestation ?? zeroHash,
      revocable: true,
      revoked: revocationTime !== null,
      txid: attestation.transactionHash,
      schemaId: attestation.schemaLocalId,
      ipfsHash: '',
      isOffchain: false,
    }
  }
  for (let start = 0; start < attestations; start += batchSize) {
    const count = Math.min(batchSize, attestations - start)
    await insert(
      client,
      'Attestation',
      Array.from({ length: count }, (_, index) => rowOf(start + index)),
    )
  }
  await client.query('VACUUM ANALYZE')
  return {
    run: async (statements) => {
      for (const { sql, parameters } of statements) await client.query(sql, [...parameters])
    },
    close: async () => {
      await client.end()
      await server.stop()
    },
  }
}

async function insert(client: pg.Client, table: string, rows: readonly object[]): Promise<void> {
  await client.query(
    `INSERT INTO "${table}" SELECT * FROM json_populate_recordset(NULL::"${table}", $1::json)`,
    [JSON.stringify(rows)],
  )
}

/** The columns of a table in a statement of its client. */
const columns = (table: string, names: readonly string[]) =>
  names.map((name) => `"public"."${table}"."${name}"`).join(', ')

/** A list of attestations, as `findMany` of the client asks for it. */
export function findAttestations(
  selected: readonly string[],
  where: string,
  parameters: readonly unknown[],
  take: number,
): PeerStatement {
  const sql =
    `SELECT ${columns('Attestation', selected)} FROM "public"."Attestation" WHERE ${where} ` +
    `ORDER BY "public"."Attestation"."time" DESC LIMIT ${take} OFFSET 0`
  return { sql, parameters }
}

/** A row by its id, as `findUnique` of the client asks for it. */
export function findOne(
  table: 'Attestation' | 'Schema',
  selected: readonly string[],
  id: string,
): PeerStatement {
  return {
    sql: `SELECT ${columns(table, selected)} FROM "public"."${table}" WHERE ("public"."${table}"."id" = $1 AND 1=1) LIMIT 1 OFFSET 0`,
    parameters: [id],
  }
}

/** A count, as `aggregate` of the client asks for it. */
export function countAttestations(where: string, parameters: readonly unknown[]): PeerStatement {
  return {
    sql:
      'SELECT COUNT(*) FROM (SELECT "public"."Attestation"."id" FROM "public"."Attestation" ' +
      `WHERE ${where} OFFSET 0) AS "sub"`,
    parameters,
  }
}
