import { parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { createGraphqlSchema } from '@attestry/server/interfaces/graphql/createGraphqlSchema.ts'
import { schemaDetailsDocument, sparklinesDocument } from './documents.ts'

test('every document asks for what the interface has', () => {
  for (const document of [schemaDetailsDocument, sparklinesDocument(2)]) {
    expect(validate(createGraphqlSchema(), parse(document))).toEqual([])
  }
})
