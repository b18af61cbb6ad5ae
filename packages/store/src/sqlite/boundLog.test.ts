import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openConnection, type Connection } from './connection.ts'
import { boundLog, pageBytes, type BoundLog } from './boundLog.ts'

const pagesMax = 50

let folder: string
let path: string
let writing: Connection
let log: BoundLog

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-log-'))
  path = join(folder, 'any.db')
  writing = openConnection(path, { readOnly: false, cacheMib: 8 })
  writing.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE page (body BLOB)')
})
afterEach(() => {
  writing.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A thread whose two connections read by turns, so that one of them always holds a state of the database. */
const alwaysReading = `
  const { DatabaseSync } = require('node:sqlite')
  const { parentPort, workerData } = require('node:worker_threads')
  const open = () => new DatabaseSync(workerData, { readOnly: true })
  const begin = (database) => (database.exec('BEGIN'), database.prepare('SELECT count(*) FROM page').get())
  let [holding, next] = [open(), open()]
  begin(holding)
  parentPort.postMessage('reading')
  setInterval(() => {
    begin(next)
    holding.exec('COMMIT')
    ;[holding, next] = [next, holding]
  }, 1)
`

test('a log stays short beside reads that are always under way', async () => {
  log = boundLog(writing)
  log.setBound(pagesMax)
  const reader = new Worker(alwaysReading, { eval: true, workerData: path })
  await new Promise((resolve) => reader.once('message', resolve))
  for (let commits = 0; commits < 400; commits++) write(1)
  await reader.terminate()
  expect(logBytes()).toBeLessThan(3 * pagesMax * pageBytes)
})

test('a log that a reader held back shrinks after the reader has ended', () => {
  log = boundLog(writing, 1)
  log.setBound(pagesMax)
  const reader = openConnection(path, { readOnly: true, cacheMib: 8 })
  reader.exec('BEGIN')
  reader.statement('SELECT count(*) FROM page').get()
  write(pagesMax * 3)
  write(pagesMax * 3)
  expect(logBytes()).toBeGreaterThan(pagesMax * 6 * pageBytes)
  expect(reader.statement('SELECT count(*) FROM page').get()).toEqual([0])
  reader.close()
  write(pagesMax)
  write(1)
  expect(logBytes()).toBeLessThan(pagesMax * 2 * pageBytes)
})

/** Writes pages of rows in one commit. */
function write(pages: number): void {
  writing.exec('BEGIN IMMEDIATE')
  for (let page = 0; page < pages; page++) writing.exec('INSERT INTO page VALUES (zeroblob(3000))')
  writing.exec('COMMIT')
  log.afterCommit()
}

function logBytes(): number {
  return statSync(`${path}-wal`).size
}
