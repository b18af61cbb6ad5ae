import { Type } from 'typebox'

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
  Type.Object(
    {
      policies: Type.Optional(policies),
      key: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'The private key that signs verdicts, as PKCS#8 in PEM, Ed25519 or P-256: the path of a file, or the text itself by ${NAME}. Without a key, nothing is signed.',
          examples: ['./gate-key.pem', '${GATE_KEY}'],
        }),
      ),
    },
    { additionalProperties: false, description: 'Which policies are evaluated, and who signs the verdicts.' },
  ),
])
