import { Type } from 'typebox'
import { block, wholeNumber } from './schemaKeys.ts'

/** The block `server.keys`. */
export const keys = Type.Array(
  block(null, {
    name: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
      title: 'a name of letters, digits, dots, dashes and underscores',
      description: 'Whose key it is.',
      examples: ['gatekeeper'],
    }),
    hash: Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      title: 'the SHA-256 of a key as 64 hexadecimal digits',
      description: 'What `attestry keys new` prints beside the key.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    rate: wholeNumber(
      1,
      1_000_000_000,
      null,
      'Requests in a window of rateLimit.windowSeconds; unlimited without it.',
      6_000,
    ),
    cost: wholeNumber(
      1,
      1_000_000_000,
      null,
      'Milliseconds of processing in a window; unlimited without it.',
      20_000,
    ),
  }),
  { maxItems: 10_000, description: 'The keys that clients send in the header x-api-key.' },
)
