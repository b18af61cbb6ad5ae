import { expect, test } from 'vitest'
import { chainIdParameter } from './idParameters.ts'
import { required } from './parameter.ts'

test('a parameter that is required has no value that means none, under either of its names', () => {
  const { read, absent, synonym } = required(chainIdParameter)
  expect(absent).toBeNull()
  expect(read('10')).toEqual({ kind: 'known', value: 10 })
  expect(synonym?.read('10')).toEqual(read('10'))
  for (const readEmpty of [read, synonym?.read]) {
    expect(() => readEmpty?.('')).toThrow('chainId is missing; it is required.')
  }
})
