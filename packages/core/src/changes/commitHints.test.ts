import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { onCommit, openCommitTeller } from './commitHints.ts'
import { createPauses } from './pauses.ts'

const longMs = 2 ** 30

function listenToCommits() {
  const pauses = createPauses()
  return { ...pauses, close: onCommit(pauses.wake) }
}

test('a commit announced by another thread ends the pause under way', async () => {
  const hints = listenToCommits()
  const module = JSON.stringify(new URL('commitHints.ts', import.meta.url).href)
  const worker = new Worker(`import(${module}).then(({ openCommitTeller }) => openCommitTeller().tell())`, {
    eval: true,
  })
  await expect(hints.wait(longMs)).resolves.toBeUndefined()
  hints.close()
  await worker.terminate()
})

test('a commit between two pauses leaves out the second one, and only that', async () => {
  const [hints, witness, teller] = [listenToCommits(), listenToCommits(), openCommitTeller()]
  const told = witness.wait(longMs)
  teller.tell()
  await told
  await hints.wait(longMs)
  let isOver = false
  const third = hints.wait(longMs).then(() => (isOver = true))
  await new Promise(setImmediate)
  expect(isOver).toBe(false)
  hints.wake()
  await third
  for (const { close } of [hints, witness, teller]) close()
})
