import { Type } from 'typebox'
import { block, text } from '@attestry/host/config/schemaKeys.ts'

export const gatePoliciesDefault = 'any'

const policies = Type.Enum(['named', 'any'], {
  default: gatePoliciesDefault,
  description:
    'Which policies /scan/gate evaluates: those of the configuration alone (named), or also those that requests bring (any).',
  examples: ['named'],
})

/** The block `server.gate`; `named` or `any` alone is its short form. */
export const gateSchema = Type.Union([
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
        'The private key that signs verdicts as JWS, as PKCS#8 in PEM, Ed25519 or P-256: the path of a file, or the text itself by ${NAME}. Without a key, nothing is signed.',
      examples: ['./gate-key.pem', '${GATE_KEY}'],
    }),
    evmKey: text({
      minLength: 1,
      description:
        'The private key that signs verdicts for contracts: secp256k1, 32 bytes in hexadecimal, by ${NAME}. Without it, no contract is served.',
      examples: ['${GATE_EVM_KEY}'],
    }),
  }),
])

/** The block `policies`. */
export const policiesSchema = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Rules by which /scan/gate lets addresses through, by name (docs/gate.md).',
  examples: [
    {
      kyc: {
        holds: {
          schema: 'onchain_evm_11155111_0x1a',
          attester: ['0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'],
        },
      },
    },
  ],
})
