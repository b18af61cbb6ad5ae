import { demoSchemas } from './content/demoSchemas.ts'
import { easSchemas } from './content/easSchemas.ts'
import type { DemoSchema } from './content/demoSchema.ts'
import { demoAccount } from './demoAccounts.ts'
import { easDemo, schemaUid } from './easDemo.ts'
import { signDemo } from './signDemo.ts'

/** The history of the demo begins weeks ago, and is made while one looks: its newest block is old until then. */
const maxStaleness = '52w'

/**
 * The policies of the demo's gate, in the form of `policies` of the configuration. The first asks for a checked identity on
 * one chain. The second asks for a known human with an identity that was checked on either chain.
 */
export function demoPolicies(): Readonly<Record<string, unknown>> {
  const checked = { level: { gte: 2 } }
  return {
    'kyc-level-2': {
      holds: { ...heldUnder(demoSchemas, 'KYC Level 2', signId), field: checked },
      maxStaleness,
    },
    'verified-human': {
      all: [
        { holds: heldUnder(easSchemas, 'Human', easId) },
        {
          any: [
            { policy: 'kyc-level-2' },
            { holds: { ...heldUnder(easSchemas, 'KYC Passport', easId), field: checked } },
          ],
        },
      ],
      maxStaleness,
    },
  }
}

/** Attestations under a schema by the accounts that the demo attests by. */
function heldUnder(
  schemas: readonly DemoSchema[],
  name: string,
  idOf: (schema: DemoSchema) => string,
): { readonly schema: string; readonly attester: readonly string[] } {
  const schema = schemas.find((each) => each.name === name)
  if (schema === undefined) throw new RangeError(`The demo has no schema ${name}.`)
  return { schema: idOf(schema), attester: schema.attesters.map((index) => demoAccount(index).address) }
}

/** Sign Protocol numbers schemas from 1, and the demo registers its schemas in their order. */
function signId(schema: DemoSchema): string {
  return `onchain_evm_${signDemo.chainId}_0x${(demoSchemas.indexOf(schema) + 1).toString(16)}`
}

function easId({ text = '', revocable = true }: DemoSchema): string {
  return `onchain_evm_${easDemo.chainId}_${schemaUid(text, revocable)}`
}
