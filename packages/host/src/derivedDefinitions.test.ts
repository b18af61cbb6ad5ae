import { DatabaseSync } from 'node:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { feedbackSchemaId } from '@attestry/core/model/agents.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { Address, Hash } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { Schema } from '@attestry/core/model/records.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { defineSchema } from '@attestry/core/protocols/defineSchema.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { createSqliteDatabase } from './sqliteDatabase.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const chainId = 5
const account = `0x${'11'.repeat(20)}` as Address
const parent = `0x${'0a'.repeat(32)}` as LocalId

function schemaOf(protocol: string, localId: string, rawText: string, index: number): Schema {
  const isTold = protocol === 'verax'
  return {
    position: eventPosition(10 + index, 0),
    transactionHash: `0x${'22'.repeat(32)}` as Hash,
    transactionSender: null,
    key: { chainId, localId: localId as LocalId },
    protocol,
    registrant: account,
    registerTimestamp: unixSeconds(1_700_000_000 + index),
    revocable: true,
    maxValidFor: 0n,
    resolver: account,
    dataLocation: 'ONCHAIN',
    definition: {
      name: isTold ? 'Told' : 'Forged',
      description: isTold ? 'told' : 'forged',
      fields: [{ name: 'forged', type: 'bool' }],
    },
    rawText,
    context: isTold ? 'https://schema.example' : null,
  }
}

const schemas = [
  schemaOf('sign', '0x1', '{"name":"Age","description":"d","data":[{"name":"age","type":"uint8"}]}', 0),
  schemaOf('eas', `0x${'0e'.repeat(32)}`, 'uint256 level', 1),
  schemaOf('verax', parent, '(uint8 score)', 2),
  schemaOf('verax', `0x${'0b'.repeat(32)}`, `@extends ${parent} (string city)`, 3),
  schemaOf('erc8004', feedbackSchemaId, 'uint64 feedbackIndex', 4),
  schemaOf('other', '0x9', 'uint256 level', 5),
]

async function restore(path: string): Promise<void> {
  const into = createSqliteDatabase(path).openRestore('none')
  const events = schemas.map((schema): StoredEvent => ({
    event: { kind: 'schemaRegistered', position: schema.position, schema },
    storedAt: unixMilliseconds(0),
    settled: null,
    revocation: null,
  }))
  await into.openChain({ chainId, name: 'A chain', contracts: [] })
  await into.applyEvents(chainId, events)
  await into.closeChain(chainId, {
    checkpoint: { blockNumber: 20, timestamp: 1_700_000_100 },
    rewindTo: null,
    recentBlocks: [],
  })
  await into.finish()
}

async function contradictions(path: string) {
  const audit = createSqliteDatabase(path).openAudit()
  try {
    return await Array.fromAsync(audit.findContradictions())
  } finally {
    await audit.close()
  }
}

test('names and fields of schemas are those of their texts, whatever a line says; an audit finds others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-definitions-'))
  folders.push(folder)
  const path = join(folder, 'index.db')
  await restore(path)
  const reader = createSqliteDatabase(path).openReader()
  const found = await reader.findSchemas(schemas.map(({ key, protocol }) => ({ ...key, protocol })))
  await reader.close()
  const shown = found.map((schema) => {
    const fields = JSON.parse(schema?.fieldsJson ?? '[]') as readonly { name: string; type: string }[]
    return [schema?.name, schema?.description, fields.map(({ name, type }) => `${type} ${name}`).join(', ')]
  })
  expect(shown).toEqual([
    ['Age', 'd', 'uint8 age'],
    ['', '', 'uint256 level'],
    ['Told', 'told', 'uint8 score'],
    ['Told', 'told', expect.stringContaining('string city')],
    ['Agent feedback', expect.any(String), expect.stringContaining('int128 value')],
    ['', '', ''],
  ])
  expect(await contradictions(path)).toEqual([])

  const database = new DatabaseSync(path)
  database.exec(`UPDATE schema SET definition_name = 'KYC passed' WHERE protocol = 'eas'`)
  database.close()
  expect(await contradictions(path)).toMatchObject([
    { field: 'definitionName', stored: 'KYC passed', expected: '' },
  ])
})

test('a schema that its protocol cannot have has no definition', () => {
  const [eas] = schemas.slice(1)
  if (eas === undefined) throw new Error('there is a schema')
  expect(defineSchema({ ...eas, protocol: 'erc8004' }).fields).toEqual([])
})
