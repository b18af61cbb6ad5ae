import { Type } from 'typebox'
import { block, text } from './schemaKeys.ts'

export const gatePoliciesDefault = 'any'

const policies = Type.Enum(['named', 'any'], {
  default: gatePoliciesDefault,
  description:
    'Which policies /scan/gate evaluates: those of the configuration alone (named), or also those that requests bring (any).',
  examples: ['named'],
})

/** The block `server.gate`; `named` or `any` alone is its short form. */
export const gate = Type.Union([
  policies,
  block('Which policies are evaluated, and who signs the verdicts.', {
    policies: Type.Optional(policies),
    signs: Type.Optional(
      Type.Enum(['named', 'any'], {
        default: 'named',
        description:
          'Which verdicts are signed: those of policies of the configuration (named), or also those of policies that requests bring (any).',
        examples: ['any'],
      }),
    ),
    key: text({
      minLength: 1,
      description:
        'The private key that signs verdicts, as PKCS#8 in PEM, Ed25519 or P-256: the path of a file, or the text itself by ${NAME}. Without a key, nothing is signed.',
      examples: ['./gate-key.pem', '${GATE_KEY}'],
    }),
  }),
])
