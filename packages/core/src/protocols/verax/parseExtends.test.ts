import { expect, test } from 'vitest'
import { parseExtends } from './parseExtends.ts'

const id = `0x${'ab'.repeat(32)}`

test.each([
  [`@extends ${id} string name`, 'string name'],
  [`@extends ${id} (string name)`, '(string name)'],
  [`@extends ${id}(string name)`, '(string name)'],
  [`@extends ${id}, string name`, 'string name'],
  [`  @extends\n${id}\nstring name`, 'string name'],
  [`@EXTENDS ${id.toUpperCase().replace('X', 'x')} string name`, 'string name'],
  [`@extends ${id}`, ''],
])('%j has a parent', (text, own) => {
  const extended = parseExtends(text)
  expect([extended?.parent, extended?.own.trim()]).toEqual([id, own])
})

test.each([
  'string name',
  `@extend ${id} string name`,
  `@extends ${id.slice(0, -2)} string name`,
  `@extends ${id}ab string name`,
  `@extends ${id.slice(2)} string name`,
  `string name, @extends ${id}`,
  '@extends',
])('%j has none', (text) => {
  expect(parseExtends(text)).toBeNull()
})
