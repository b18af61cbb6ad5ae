import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { FieldIndexing } from '@attestry/core/index/fieldIndexing.ts'
import { findDigestProblems } from '../harness/digestProblems.ts'
import { findFieldProblems, type FieldProblems } from '../harness/fieldProblems.ts'
import type { ApplySummary, BlockBatch, IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import type { Random } from '../simulator/random.ts'
import type { StoreReader } from '@attestry/store/reading/openIndexReader.ts'
import { exportAndClose } from '@attestry/store/testing/storeFactory.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { projections } from '../harness/projections.ts'

/** The database under a simulated index, from one life of its process to the next. */
export interface SimulatedDatabase {
  /** Opens it for a life, as the last one left it. */
  openWriter(random: Random, fields: FieldIndexing): SimulatedWriter
  /** Opens a reader for the hooks of a life. */
  openReader(): StoreReader
  /** The export of the index, with the times of storing. */
  readExport(): Promise<string[]>
  /** Compares the index of decoded fields with the stored payloads, between two lives or at the end of the last one. */
  findFieldProblems(isFinished: boolean): Promise<FieldProblems>
  /** Compares the digests with the events of an export. */
  findDigestProblems(exported: readonly string[]): Promise<readonly string[]>
  remove(): Promise<void>
}

export interface SimulatedWriter extends IndexWriter {
  /**
   * The process dies now: what is stored at this moment is what the next life finds. Nothing is asked of this writer
   * afterwards.
   */
  die(): void
  /** Applies a batch, calls `onDeath` in the middle of it, and dies. Nobody reads its result. */
  dieApplying(chainId: ChainId, batch: BlockBatch, random: Random, onDeath: () => void): Promise<ApplySummary>
}

/** SQLite dies by its files: they are copied as they lie on the disk, and the copy is what the next life opens. */
export function createSqliteWorld(): SimulatedDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-simulation-'))
  let deaths = 0
  let path = join(folder, 'first', 'index.db')
  mkdirSync(dirname(path))
  migrateSqlite(path, { projections })

  /** Copies the files of a database as they lie on the disk. */
  function copyTo(name: string, database: string): string {
    const copy = join(folder, name, 'index.db')
    mkdirSync(dirname(copy), { recursive: true })
    for (const suffix of ['', '-wal']) {
      if (existsSync(database + suffix)) copyFileSync(database + suffix, copy + suffix)
    }
    return copy
  }

  async function findProblems(isFinished: boolean): Promise<FieldProblems> {
    // The next life finds the files as the last one left them.
    const copy = copyTo('compared', path)
    try {
      return await findFieldProblems(copy, isFinished)
    } finally {
      rmSync(dirname(copy), { recursive: true })
    }
  }

  function openWriter(random: Random, fields: FieldIndexing): SimulatedWriter {
    const own = path
    // Little memory for pages, so that a transaction under way spills into the file, and batches that share a commit.
    const cacheMib = random.pick([0.0625, 64])
    const writer = openSqliteWriter(own, {
      cacheMib,
      group: cacheMib < 1 ? { batchEvents: 0 } : {},
      fields,
      projections,
    })
    const die = () => {
      path = copyTo(`after-crash-${++deaths}`, own)
    }
    return {
      ...writer,
      die,
      dieApplying: (chainId, batch, drawn, onDeath) => {
        const dyingAt = drawn.integer(0, batch.events.length)
        const events = createLastEvents(batch.events, dyingAt, () => {
          die()
          onDeath()
        })
        return writer.applyBlocks(chainId, { ...batch, events })
      },
    }
  }

  return {
    openWriter,
    openReader: () => openSqliteReader(path, { projections }),
    readExport: () => exportAndClose(openSqliteReader(path, { projections }), true),
    findFieldProblems: findProblems,
    findDigestProblems: (exported) => findDigestProblems(openSqliteReader(path, { projections }), exported),
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  }
}

/** Events in whose midst, as the store goes through them for the last time, the process dies. */
function createLastEvents(
  events: readonly DomainEvent[],
  dyingAt: number,
  die: () => void,
): readonly DomainEvent[] {
  const list = [...events]
  list[Symbol.iterator] = function* () {
    for (let i = 0; i < events.length; i++) {
      if (i === dyingAt) break
      const event = events[i]
      if (event !== undefined) yield event
    }
    die()
    throw new Error('the process died in the midst of a transaction')
  }
  return list
}
