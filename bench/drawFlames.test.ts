import { expect, test } from 'vitest'
import { stacksOf, type CpuProfile } from './cpuProfile.ts'
import { drawFlames } from './drawFlames.ts'

const frame = (id: number, functionName: string, url: string, children: readonly number[] = []) => ({
  id,
  callFrame: { functionName, url },
  children,
})

/** Ten samples, of which the first four are of the warm-up. */
const profile: CpuProfile = {
  nodes: [
    frame(1, '(root)', '', [2, 5]),
    frame(2, 'answer', 'file:///home/a/packages/server/src/answer.ts', [3, 4]),
    frame(3, 'get', 'file:///home/a/packages/store/src/sqlite/connection.ts'),
    frame(4, 'Array<of>', 'node:internal'),
    frame(5, '(idle)', ''),
  ],
  samples: [4, 4, 4, 4, 3, 3, 3, 4, 5, 5],
}

test('a frame is as wide as its share of the samples, without those of the warm-up and idle ones', () => {
  const stacks = stacksOf(profile)
  expect(stacks.map((stack) => stack.map(({ id }) => id))).toEqual([
    [3, 2, 1],
    [3, 2, 1],
    [3, 2, 1],
    [4, 2, 1],
  ])
  const frames = [
    ...drawFlames('a request', stacks).matchAll(/<title>(.*)<\/title><rect x="(.*?)" .*? width="(.*?)"/g),
  ]
  expect(frames.map(([, ...parts]) => parts)).toEqual([
    ['a request 100.0 %', '0.0', '1199.5'],
    ['answer 100.0 % packages/server/src/answer.ts', '0.0', '1199.5'],
    ['get 75.0 % packages/store/src/sqlite/connection.ts', '0.0', '899.5'],
    ['Array&#60;of&#62; 25.0 % node:internal', '900.0', '299.5'],
  ])
})
