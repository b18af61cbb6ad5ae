import { parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { createGraphqlSchema } from '../../../src/api/graphql/createGraphqlSchema.ts'
import { schemaDetailsDocument } from './documents.ts'

test('every document asks for what the interface has', () => {
  for (const document of [schemaDetailsDocument]) {
    expect(validate(createGraphqlSchema(), parse(document))).toEqual([])
  }
})
