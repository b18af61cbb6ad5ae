import { buildSchema } from 'graphql'
import { expect, test } from 'vitest'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { checkDocument, checkVariables, inputObjectsMax } from './checkInputs.ts'

test('a filter of many fields may be written less often', () => {
  const fields = Array.from({ length: 300 }, (_, number) => `f${number}: Int`).join(' ')
  const schema = buildSchema(`type Query { a(where: A): Int } input A { b: B } input B { ${fields} }`)
  expect(inputObjectsMax(schema)).toBe(500)
})

test('objects count in arguments and variables, selections do not', () => {
  const filters = (count: number) => `{ a(where: { or: [${'{ b: "{" } '.repeat(count - 1)}] }) { c { d } } }`
  checkDocument(filters(10), 10)
  expect(() => checkDocument(filters(11), 10)).toThrow(BadParameterError)
  const variables = (count: number) => ({ where: { or: new Array(count - 1).fill({ b: [1] }) } })
  checkVariables(variables(10), 10)
  expect(() => checkVariables(variables(11), 10)).toThrow('holds more than 10 objects (limit objects)')
})
