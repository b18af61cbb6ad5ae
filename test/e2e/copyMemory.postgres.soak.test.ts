import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSqliteDatabase } from '@attestry/host/sqliteDatabase.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { asIndexed } from '../harness/asIndexed.ts'
import { generateBlocks, type GeneratedBlock, type Step } from '@attestry/store/testing/generatedChain.ts'
import { batchOf, identityOf } from '@attestry/store/testing/storeFactory.ts'
import { createPostgresDatabase, type PostgresDatabase } from '../harness/postgresDatabase.ts'
import { projections } from '../harness/projections.ts'
import { spawnAttestry, type SpawnedAttestry } from '../harness/spawnAttestry.ts'

/**
 * Twice the heap that each command needs (56 MiB suffice for all of them), and less than the 136 MiB of JSON of the
 * records. A command that keeps every line or every record runs out of memory.
 */
const heapMib = 112
const recordCount = 4_200
const payload = `0x${'5a'.repeat(16 * 1024)}` as Hex
const recordsPerBatch = 200
const chainId = 5
const waitLimitMs = 280_000

let folder: string
let postgres: PostgresDatabase
const running: SpawnedAttestry[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-memory-'))
  postgres = await createPostgresDatabase()
})
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  await postgres.remove()
})

// Each copy and each import compares the export of its target with its input before it reports success.
test('an index that exceeds the heap is copied to PostgreSQL and back, exported and imported', async () => {
  const [source, back, imported] = ['source.db', 'back.db', 'imported.db'].map(
    (name) => `sqlite:${join(folder, name)}`,
  )
  await fill(join(folder, 'source.db'))
  const environment = { SOURCE: source ?? '', BACK: back ?? '', TARGET: postgres.url }
  const done = expect.objectContaining({ code: 0, stderr: '' })
  expect(await attestry(['copy', '--from', '${SOURCE}', '--to', '${TARGET}'], environment)).toEqual(done)
  expect(await attestry(['copy', '--from', '${TARGET}', '--to', '${BACK}'], environment)).toEqual(done)

  expect(await attestry(['export', '--output', 'back.ndjson'], { DATABASE_URL: back ?? '' })).toEqual(done)
  expect(statSync(join(folder, 'back.ndjson')).size).toBeGreaterThan(1.2 * heapMib * 2 ** 20)
  const restored = await attestry(['import', '--input', 'back.ndjson'], { DATABASE_URL: imported ?? '' })
  expect(restored).toEqual(done)
  expect(restored.stdout).toContain(`${recordCount} attestations`)
})

/** Fills a database with attestations that have long payloads. */
async function fill(path: string): Promise<void> {
  const database = createSqliteDatabase(path, projections)
  await database.migrate()
  const writer = database.openWriter()
  await writer.openChain(identityOf(chainId))
  const blocks = asIndexed(
    generateBlocks(chainId, [], Array.from({ length: recordCount }, attestationStep), 'a'),
  )
  for (let from = 0; from < blocks.length; from += recordsPerBatch) {
    await writer.applyBlocks(chainId, batchOf(blocks.slice(from, from + recordsPerBatch).map(withPayload)))
  }
  await writer.close()
}

function attestationStep(_: unknown, index: number): Step {
  return { kind: 15, gap: 1, who: index % 4, whom: index % 6, what: index % 98, text: index % 20 }
}

function withPayload(block: GeneratedBlock): GeneratedBlock {
  return { ...block, events: block.events.map(lengthened) }
}

function lengthened(event: DomainEvent): DomainEvent {
  if (event.kind !== 'attestationMade') return event
  // An import refuses records of EAS that were revoked without an event.
  const revocationAtRead = { kind: 'none' } as const
  return { ...event, attestation: { ...event.attestation, data: payload, revocationAtRead } }
}

function attestry(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const program = spawnAttestry(args, { cwd: folder, environment, heapMib })
  running.push(program)
  return program.waitForExit(waitLimitMs)
}
