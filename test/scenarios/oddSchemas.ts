import type { Address } from 'viem'
import type { SchemaCase } from './recordCases.ts'

export interface OddAccounts {
  readonly registrants: readonly [Address, Address, Address]
  readonly hook: Address
}

/** The schema of most odd attestations: usual content, in the form that the official SDK writes. */
export const usualSchema = 'usual'

/** Schemas with unusual texts, and the meaning of each text (docs/api.md, "Records"). */
export function oddSchemas({
  registrants: [first, second, third],
  hook,
}: OddAccounts): readonly SchemaCase[] {
  const textCase = (label: string, data: string, meaning: Partial<SchemaCase> = {}): SchemaCase => ({
    label,
    input: { registrant: second, data },
    ...meaning,
  })
  return [
    {
      label: usualSchema,
      input: {
        registrant: first,
        data: '{"name":"Usual","description":"As the SDK writes it","data":[{"name":"title","type":"string"},{"name":"amount","type":"uint256"}]}',
      },
      name: 'Usual',
      description: 'As the SDK writes it',
      fields: [
        { name: 'title', type: 'string' },
        { name: 'amount', type: 'uint256' },
      ],
    },
    textCase('free text', 'Notes of the harbour pilots, one each.'),
    textCase('empty text', ''),
    textCase('JSON number', '42'),
    textCase('JSON null', 'null'),
    textCase('JSON array', '[{"name":"a","type":"string"}]'),
    textCase('JSON string', '"{\\"name\\":\\"inner\\"}"'),
    textCase('broken JSON', '{"name":"Broken","data":['),
    textCase('empty object', '{}'),
    textCase('name alone', '{"name":"Only a name"}', { name: 'Only a name' }),
    textCase('name of another type', '{"name":7,"description":"still here","data":[]}', {
      description: 'still here',
    }),
    textCase(
      'description null',
      '{"name":"No description","description":null,"data":[{"name":"a","type":"bool"}]}',
      {
        name: 'No description',
        fields: [{ name: 'a', type: 'bool' }],
      },
    ),
    textCase(
      'data no array',
      '{"name":"Data is an object","description":"d","data":{"0":{"name":"a","type":"bool"}}}',
      {
        name: 'Data is an object',
        description: 'd',
      },
    ),
    textCase(
      'items of all sorts',
      '{"name":"Items","description":"","data":[{"name":"kept","type":"string","storage":"arweave","extra":[1]},{"name":5,"type":"string"},{"type":"string"},{"name":"typeless"},null,"text",{"name":"","type":"address"}]}',
      {
        name: 'Items',
        fields: [
          { name: 'kept', type: 'string' },
          { name: '', type: 'address' },
        ],
      },
    ),
    textCase(
      'nested types',
      '{"name":"Nested","description":"","data":[{"name":"place","type":[{"name":"city","type":"string"},{"name":"at","type":[{"name":"lat","type":"int32"}]}]},{"name":"n","type":"number"}]}',
      {
        name: 'Nested',
        fields: [
          {
            name: 'place',
            type: '[{"name":"city","type":"string"},{"name":"at","type":[{"name":"lat","type":"int32"}]}]',
          },
          { name: 'n', type: 'number' },
        ],
      },
    ),
    textCase('spaces around', ' \n {"name" : "Spaced out", "description" : "  kept  "}\t', {
      name: 'Spaced out',
      description: '  kept  ',
    }),
    textCase(
      'many scripts',
      '{"name":"卒業証明書 🎓 شهادة","description":"100% \\"quoted\\" snake_case AND Cafe\\u0301 <b>","data":[{"name":"氏名","type":"string"}]}',
      {
        name: '卒業証明書 🎓 شهادة',
        description: '100% "quoted" snake_case AND Cafe\u0301 <b>',
        fields: [{ name: '氏名', type: 'string' }],
      },
    ),
    {
      label: 'on Arweave',
      input: { registrant: third, dataLocation: 1, data: 'Zt7y3uPqk0v2N5wXo1eC8mRj4LbD6sAhGfTiUcYxQWE' },
    },
    {
      label: 'on IPFS',
      input: {
        registrant: third,
        dataLocation: 2,
        data: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
      },
    },
    {
      label: 'elsewhere',
      input: {
        registrant: third,
        dataLocation: 3,
        data: '{"name":"Custom place","description":"JSON all the same"}',
      },
      name: 'Custom place',
      description: 'JSON all the same',
    },
    {
      label: 'irrevocable',
      input: { registrant: third, revocable: false, data: '{"name":"For good","description":"","data":[]}' },
      name: 'For good',
    },
    {
      label: 'limited validity',
      input: {
        registrant: third,
        maxValidFor: 86_400n,
        data: '{"name":"One day","description":"","data":[]}',
      },
      name: 'One day',
    },
    {
      label: 'greatest validity',
      input: {
        registrant: third,
        maxValidFor: 18_446_744_073_709_551_615n,
        data: '{"name":"Five hundred billion years","description":"","data":[]}',
      },
      name: 'Five hundred billion years',
    },
    {
      label: 'with a hook',
      input: {
        registrant: third,
        hook,
        data: '{"name":"Hooked","description":"","data":[{"name":"a","type":"bytes"}]}',
      },
      name: 'Hooked',
      fields: [{ name: 'a', type: 'bytes' }],
    },
  ]
}
