import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Check } from 'typebox/value'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { choiceParameter } from './choiceParameter.ts'
import {
  addressParameter,
  chainIdParameter,
  schemaFilterParameter,
  schemaIdParameter,
} from './idParameters.ts'
import { keywordParameter, pageParameter, sizeParameter } from './listingParameters.ts'
import type { Parameter } from './parameter.ts'
import { createParameterReader } from './readParameters.ts'

const read = createParameterReader({
  page: pageParameter,
  size: sizeParameter,
  keyword: keywordParameter('What to look for.'),
  fields: choiceParameter({ name: 'fields', description: 'More.', choices: ['detail'] }),
  schemaId: schemaFilterParameter,
  chainId: chainIdParameter,
})
const readUrl = (query: string) => read({}, `/x${query}`).values

describe('parameters', () => {
  test('have their defaults where nothing is sent', () => {
    const defaults = { page: 1, size: 10, keyword: null, fields: null, schemaId: null, chainId: null }
    expect(readUrl('')).toEqual(defaults)
    expect(readUrl('?')).toEqual(defaults)
    expect(readUrl('?&&=&keyword=&fields=&schemaId=&chainId=')).toEqual(defaults)
  })

  test('in numbers are decimal digits, page 0 being page 1', () => {
    expect(readUrl('?page=007&size=0100')).toMatchObject({ page: 7, size: 100 })
    expect(readUrl('?page=0').page).toBe(1)
    expect(readUrl('?page=2147483647').page).toBe(2147483647)
    expect(readUrl('?%70age=2').page).toBe(2)
  })

  test('that are unknown are ignored, however malformed', () => {
    expect(readUrl('?id=%ED%A0%80&id=%zz&network=all&%zz=1&__proto__=1&constructor=2&page=3').page).toBe(3)
  })

  test('in texts are decoded, a plus being a space', () => {
    expect(readUrl('?keyword=%E6%84%9B+x').keyword?.text).toBe('愛 x')
    expect(readUrl('?keyword=a%3Db=c').keyword?.text).toBe('a=b=c')
    expect(readUrl('?keyword=%20+%0A').keyword).toBeNull()
  })

  test('that name a schema take its composite or local id, in any case', () => {
    expect(readUrl('?schemaId=onchain_evm_1_0X1A').schemaId).toEqual({
      kind: 'known',
      value: { kind: 'key', key: { chainId: 1, localId: '0x1a' } },
    })
    expect(readUrl('?schemaId=0x1A').schemaId).toEqual({
      kind: 'known',
      value: { kind: 'localId', localId: '0x1a' },
    })
    for (const unknown of ['0x01', 'onchain_evm_01_0x1', 'SPS_x', 'offchain_evm_1_0x1']) {
      expect(readUrl(`?schemaId=${unknown}`).schemaId?.kind).toBe('unknown')
    }
  })

  test('that name a chain may have leading zeros or be beyond any chain', () => {
    expect(readUrl('?chainId=010').chainId).toEqual({ kind: 'known', value: 10 })
    expect(readUrl('?chainId=99999999999999999999').chainId?.kind).toBe('unknown')
  })

  test('in the path are read from there', () => {
    const readAddress = createParameterReader({ address: addressParameter })
    const address = '0xABCDEFabcdef00000000000000000000000000ff'
    expect(readAddress({ address }, '/x?adress=nonsense').values.address).toBe(address.toLowerCase())
    expect(() => readAddress({ address: '' }, '/x')).toThrow(/empty/)
  })

  test.each([pageParameter, sizeParameter])('accept what their schema describes: $name', (parameter) => {
    fc.assert(
      fc.property(fc.oneof(fc.nat(200), fc.maxSafeNat()), (number) => {
        const described = Check(parameter.schema, number) ? Math.max(number, 1) : 'refused'
        expect(readOrRefuse(parameter, String(number))).toBe(described)
      }),
    )
  })

  test.each([schemaIdParameter, schemaFilterParameter, chainIdParameter])(
    'accept what their pattern describes: $name',
    (parameter) => {
      const id = fc.stringMatching(
        /^(onchain|offchain|SPS|ONCHAIN)?_?(evm)?_?[0-9]{0,3}_?(0[xX][0-9a-fA-F]{0,5})?$/,
      )
      fc.assert(
        fc.property(id, (text) => {
          fc.pre(text !== '')
          // The ids of off-chain records are valid, but unknown; messages need not mention them.
          fc.pre(!/^(offchain|SPS)_/.test(text))
          const isRefused = readOrRefuse(parameter, text) === 'refused'
          expect(isRefused).toBe(!Check(parameter.schema, text))
        }),
        { numRuns: 500 },
      )
    },
  )
})

function readOrRefuse(parameter: Parameter<unknown>, text: string): unknown {
  try {
    return parameter.read(text)
  } catch (error) {
    if (error instanceof BadParameterError && error.message.startsWith(parameter.name)) return 'refused'
    throw error
  }
}
