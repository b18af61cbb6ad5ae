import { Type, type Static } from 'typebox'
import { block, list, text, wholeNumber } from '@attestry/host/config/schemaKeys.ts'
import { hookEvents } from './hookConfig.ts'

export const staleAfterSecondsDefault = 300

/** The schema of one entry of `hooks`; `resolveHooks` checks URLs, secrets and ids. */
export function createHookSchema(protocolNames: readonly string[]) {
  const secret = Type.String({
    minLength: 1,
    description: 'The secret that signs messages (Standard Webhooks): whsec_ and 24 to 64 bytes in Base64.',
    examples: ['${HOOK_SECRET}'],
  })
  const filterText = (description: string, example: string) =>
    text({ minLength: 1, description, examples: [example] })
  return block(null, {
    name: Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
      title: 'a name of lower-case letters, digits and hyphens',
      description: 'The name of the hook in commands, metrics and the log.',
      examples: ['payments'],
    }),
    url: Type.String({
      minLength: 1,
      description: 'Where messages are sent by POST; ${NAME} is replaced by an environment variable.',
      examples: ['${HOOK_URL}'],
    }),
    secret: Type.Union([secret, Type.Array(secret, { minItems: 1, maxItems: 2 })], {
      description: 'A secret, or two while it is changed: messages are then signed with both.',
    }),
    events: list(Type.Enum([...hookEvents]), {
      minItems: 1,
      description: 'The types of messages; all of them by default.',
      examples: [['attestation.made', 'attestation.revoked']],
    }),
    when: Type.Optional(
      Type.Enum(['head', 'final'], {
        default: 'head',
        description:
          'head: as blocks are indexed, with what reorganisations revert; final: what can no longer change.',
        examples: ['final'],
      }),
    ),
    filter: Type.Optional(
      block('What is told; all members have to match.', {
        schemaId: filterText('Only this schema and its attestations: a composite id.', 'onchain_evm_1_0x1a'),
        attester: filterText(
          'Only attestations that this address made.',
          '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5',
        ),
        recipient: filterText(
          'Only attestations with this recipient: an address, or another text.',
          '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5',
        ),
        chainId: Type.Optional(
          Type.Union(
            [
              Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [11155111] }),
              // As answers have it.
              Type.String({ pattern: '^[1-9][0-9]{0,14}$', title: 'the number of a chain' }),
            ],
            { description: 'Only this chain, as a number or a text.', examples: [11155111] },
          ),
        ),
        protocol: Type.Optional(Type.Enum([...protocolNames], { description: 'Only this protocol.' })),
        field: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            description:
              'Only attestations whose decoded fields have these values, by path: a text, a number, true or false, ' +
              'or operators (in, gt, gte, lt, lte, contains, startsWith) with their values.',
            examples: [{ country: 'FR', level: { gte: 2 } }],
          }),
        ),
      }),
    ),
    staleAfterSeconds: wholeNumber(
      10,
      86_400,
      staleAfterSecondsDefault,
      'Seconds without progress after which chain.stale is sent.',
    ),
  })
}

/** One entry of `hooks`. */
export type HookEntry = Static<ReturnType<typeof createHookSchema>>
