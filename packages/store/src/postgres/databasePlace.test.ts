import { expect, test } from 'vitest'
import { databasePlace } from './databasePlace.ts'

test('the place of a database tells neither its user nor its password, nor what follows its name', () => {
  expect(databasePlace('postgres://me:secret@db.example:6432/attestry?password=secret')).toBe(
    'postgres://db.example:6432/attestry',
  )
  expect(databasePlace('postgresql://db.example/index')).toBe('postgresql://db.example/index')
  expect(databasePlace('postgres://me:secret@:x/')).toBe('postgres:')
})
