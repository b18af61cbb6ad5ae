import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compressAnswer, createAnswer, type Answer } from './answer.ts'
import { createKeptAnswers } from './keptAnswers.ts'

const bytesMax = 64 * 1024

describe('kept answers', () => {
  test('come back for their own version only', () => {
    const kept = createKeptAnswers(bytesMax)
    const answer = createAnswer('one', 1)
    kept.keep('/a', 1, answer)
    expect(kept.find('/a', 1)).toBe(answer)
    expect(kept.find('/a', 2)).toBeUndefined()
    expect(kept.find('/b', 1)).toBeUndefined()
  })

  test('are worth keeping from the second time that they are asked for', () => {
    const kept = createKeptAnswers(bytesMax)
    expect([kept.admits('/a'), kept.admits('/b'), kept.admits('/a'), kept.admits('/a')]).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  test('stay while they are asked for, and go when they are not', () => {
    const kept = createKeptAnswers(bytesMax)
    const hot = createAnswer('hot', 1)
    kept.keep('/hot', 1, hot)
    kept.keep('/cold', 1, createAnswer('cold', 1))
    for (let i = 0; i < 1000; i++) {
      kept.keep(`/${i}`, 1, createAnswer(`${i}`, 1))
      expect(kept.find('/hot', 1)).toBe(hot)
    }
    expect(kept.find('/cold', 1)).toBeUndefined()
    expect(kept.find('/999', 1)).toBeDefined()
  })

  test('that would push out all others are not kept', () => {
    const kept = createKeptAnswers(bytesMax)
    kept.keep('/big', 1, createAnswer('x'.repeat(bytesMax), 1))
    expect(kept.find('/big', 1)).toBeUndefined()
    expect(kept.byteSize).toBe(0)
  })

  test('count their compressed forms', async () => {
    const kept = createKeptAnswers(bytesMax)
    const answer = createAnswer(JSON.stringify(Array.from({ length: 500 }, (_, i) => i)), 1)
    kept.keep('/a', 1, answer)
    const before = kept.byteSize
    const body = await compressAnswer(answer, 'gzip')
    kept.recount('/a', answer)
    expect(kept.byteSize).toBeGreaterThanOrEqual(before + body.byteLength)
    expect(kept.find('/a', 1)).toBe(answer)
  })

  test('never exceed the bound, and never answer for another version', () => {
    const step = fc.record({
      key: fc.nat(30).map(String),
      version: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2),
      size: fc.nat(7500),
      keep: fc.constantFrom(true, true, false),
    })
    fc.assert(
      fc.property(fc.array(step, { minLength: 80, maxLength: 200 }), (steps) => {
        const kept = createKeptAnswers(bytesMax)
        const given = new Map<string, Answer>()
        for (const { key, version, size, keep } of steps) {
          const answer = createAnswer('x'.repeat(size), 1)
          if (keep) {
            kept.keep(key, version, answer)
            given.set(`${key} ${version}`, answer)
          }
          expect([undefined, given.get(`${key} ${version}`)]).toContain(kept.find(key, version))
          expect(kept.byteSize).toBeLessThanOrEqual(bytesMax)
        }
      }),
    )
  })
})
