import { expect, test } from 'vitest'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { createSampleIndex } from '../testing/sampleIndex.ts'
import { openTestIndex } from '../testing/testIndex.ts'
import { asOfHeader, type View } from './openView.ts'

const chainIds = [11_155_111 as ChainId]

function createView() {
  let reads = 0
  const opened = openTestIndex(createSampleIndex())
  const reader: IndexReader = {
    ...opened,
    findBlock: (...asked) => {
      reads += 1
      return opened.findBlock(...asked)
    },
  }
  const viewAt = (version: number | null): View => ({
    reader,
    newest: reader,
    now: () => unixMilliseconds(0),
    version,
    past: null,
  })
  return { viewAt, reads: () => reads }
}

test('the newest block is read once at a version, and again at the next', async () => {
  const { viewAt, reads } = createView()
  const first = await asOfHeader(viewAt(1), chainIds)
  expect(await asOfHeader(viewAt(1), chainIds)).toBe(first)
  expect(reads()).toBe(1)
  await asOfHeader(viewAt(2), chainIds)
  expect(reads()).toBe(2)
})

test('an answer that may be of several states reads the block by itself', async () => {
  const { viewAt, reads } = createView()
  await Promise.all([1, 2].map(() => asOfHeader(viewAt(null), chainIds)))
  expect(reads()).toBe(2)
})
