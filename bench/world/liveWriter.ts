import { yieldToReaders } from '@attestry/host/yieldToReaders.ts'
import { openBenchDatabase } from '../openBenchDatabase.ts'
import { answerQuestions } from '../childProcess.ts'
import { applyNext, createWorld, openWorld } from './fillWorld.ts'

/**
 * Writes new records of all chains by turns, each commit durable and below the priority of readers, as an indexer at
 * the heads of its chains does: `liveWriter.ts DATABASE SHARE RECORDS`. Prints `{"ready":true}` before the first record.
 * Answers the question `written` with the number of events so far, and the question `done` with whether all are
 * written.
 */
const [url = '', share, records] = process.argv.slice(2)
/** Events of a commit: those of a second at this rate on one chain. */
const eventsPerCommit = 200

yieldToReaders()
const writer = (await openBenchDatabase(url)).openWriter()
const opened = await openWorld(writer, createWorld(Number(share)))
let written = 0
let done = false
answerQuestions({ written: () => written, done: () => done })
process.stdout.write('{"ready":true}\n')
while (written < Number(records)) {
  for (const each of opened) {
    const { events } = await applyNext(writer, each, { events: eventsPerCommit, moreFollows: false })
    written += events
    if (written >= Number(records)) break
  }
}
await writer.close()
done = true
