import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { createQueue } from '../port/writerSession.ts'
import { createCommitGroup, type CommitGroup, type CommitGroupLimits } from './commitGroup.ts'
import { openConnection, type Connection } from './connection.ts'

const [here, elsewhere] = [5, 6]
const never = 3_600_000

let folder: string
let writing: Connection
let reading: Connection
let group: CommitGroup
/** The statement that the disk refuses. */
let refused: string | null
let rollbacks: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-group-'))
  const path = join(folder, 'any.db')
  writing = openConnection(path, { readOnly: false, cacheMib: 8 })
  writing.exec('PRAGMA journal_mode = WAL; CREATE TABLE batch (name TEXT)')
  reading = openConnection(path, { readOnly: true, cacheMib: 8 })
  refused = null
  rollbacks = 0
  group = openGroup({ ageMs: never, idleMs: never })
})
afterEach(async () => {
  await group.close()
  writing.close()
  reading.close()
  rmSync(folder, { recursive: true, force: true })
})

test('batches that others follow are seen together, when nothing follows', async () => {
  await apply('a', { moreFollows: true })
  await apply('b', { moreFollows: true })
  expect(seen()).toEqual([])
  await apply('c', { moreFollows: false })
  expect(seen()).toEqual(['a', 'b', 'c'])
})

test('a group ends with as many events as it may have, and another one begins', async () => {
  group = openGroup({ events: 4, ageMs: never, idleMs: never })
  for (const name of ['a', 'b', 'c']) await apply(name, { moreFollows: true, events: 2 })
  expect(seen()).toEqual(['a', 'b'])
})

test('a batch of few events is seen at once', async () => {
  group = openGroup({ batchEvents: 3, ageMs: never, idleMs: never })
  await apply('a', { moreFollows: true, events: 2 })
  expect(seen()).toEqual(['a'])
  await apply('b', { moreFollows: true, events: 3 })
  expect(seen()).toEqual(['a'])
})

test('the first batch of a chain that was opened is seen at once', async () => {
  group.reopened(here)
  await apply('a', { moreFollows: true })
  await apply('b', { moreFollows: true })
  expect(seen()).toEqual(['a'])
})

test('a group ends when it is as old as it may be, and when no other batch comes', async () => {
  group = openGroup({ ageMs: 0, idleMs: never })
  await apply('old', { moreFollows: true })
  expect(seen()).toEqual(['old'])
  group = openGroup({ ageMs: never, idleMs: 1 })
  await apply('idle', { moreFollows: true })
  expect(seen()).toEqual(['old'])
  await vi.waitFor(() => expect(seen()).toEqual(['old', 'idle']), { timeout: 60_000 })
})

test('what has a transaction of its own, and a batch of another chain, come after the group', async () => {
  await apply('a', { moreFollows: true })
  await group.alone(() => write('alone'))
  expect(seen()).toEqual(['a', 'alone'])
  await apply('b', { moreFollows: true })
  await apply('c', { chainId: elsewhere, moreFollows: true })
  expect(seen()).toEqual(['a', 'alone', 'b'])
})

test('what is written besides becomes part of the group, and has a transaction of its own without one', async () => {
  await group.besides(here, () => write('before'))
  expect(seen()).toEqual(['before'])
  await apply('a', { moreFollows: true })
  await group.besides(here, () => write('besides'))
  await group.besides(elsewhere, () => write('besides of another chain'))
  expect(seen()).toEqual(['before'])
  await group.close()
  expect(seen()).toEqual(['before', 'a', 'besides', 'besides of another chain'])
})

test('a batch that fails rolls back those before it, and later batches of its chain fail until it is opened again', async () => {
  await apply('a', { moreFollows: true })
  const failed = () =>
    group.together(here, { events: [] }, async () => {
      await write('half')
      throw new Error('not this one')
    })
  await expect(failed()).rejects.toThrow('not this one')
  expect(seen()).toEqual([])
  expect(rollbacks).toBe(1)
  expect(() => group.assertKept(here)).toThrow(StoreUnavailableError)
  group.assertKept(elsewhere)
  group.reopened(here)
  group.assertKept(here)
  await apply('a', { moreFollows: false })
  expect(seen()).toEqual(['a'])
})

test('a first batch that fails loses nothing but itself', async () => {
  const failed = () =>
    group.together(here, { events: [], moreFollows: true }, async () => {
      throw new Error('not this one')
    })
  await expect(failed()).rejects.toThrow('not this one')
  group.assertKept(here)
})

test('if the disk refuses the group of a chain, later batches of that chain fail and another chain goes on', async () => {
  await apply('a', { moreFollows: true })
  refused = 'COMMIT'
  await apply('b', { chainId: elsewhere, moreFollows: true })
  refused = null
  expect(() => group.assertKept(here)).toThrow(/indexed again/)
  group.assertKept(elsewhere)
  await group.close()
  expect(seen()).toEqual(['b'])
})

test('if the disk refuses the last batch, the call of that batch rejects', async () => {
  await apply('a', { moreFollows: true })
  refused = 'COMMIT'
  await expect(apply('b', { moreFollows: false })).rejects.toThrow('the disk refuses COMMIT')
  expect(() => group.assertKept(here)).toThrow(StoreUnavailableError)
  refused = null
  expect(seen()).toEqual([])
  await group.alone(() => write('later'))
  expect(seen()).toEqual(['later'])
})

interface AppliedBatch {
  readonly chainId?: number
  readonly moreFollows: boolean
  readonly events?: number
}

function apply(name: string, { chainId = here, moreFollows, events = 1 }: AppliedBatch): Promise<void> {
  return group.together(chainId, { events: Array.from({ length: events }), moreFollows }, () => write(name))
}

async function write(name: string): Promise<void> {
  writing.statement('INSERT INTO batch VALUES (?)').run(name)
}

function seen(): string[] {
  return reading
    .statement<[string]>('SELECT name FROM batch ORDER BY rowid')
    .all()
    .map(([name]) => name)
}

function openGroup(limits: Partial<CommitGroupLimits>): CommitGroup {
  const connection: Connection = {
    ...writing,
    exec: (sql) => {
      if (sql === refused) throw new Error(`the disk refuses ${sql}`)
      writing.exec(sql)
    },
  }
  const hooks = { enqueue: createQueue(), onRollback: () => rollbacks++, onCommit: () => undefined }
  return createCommitGroup(connection, hooks, { batchEvents: 1, ...limits })
}
