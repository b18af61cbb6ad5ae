import type { ServedWing } from '@attestry/server/wing.ts'
import { addGateEndpoints } from './addGateEndpoints.ts'
import { addSnapshotEndpoint } from './addSnapshotEndpoint.ts'
import { addVerifiedScript } from './addVerifiedScript.ts'
import type { EvmKey } from './evmKey.ts'
import type { GatePolicies } from './gatePolicies.ts'
import { createJudging, createPolicyJudge } from './judgeSubjects.ts'
import type { SigningKey } from './readSigningKey.ts'

/** The keys that sign verdicts; one that is absent signs nothing. */
export interface GateKeys {
  readonly signingKey?: SigningKey | undefined
  readonly evmKey?: EvmKey | undefined
}

/** The gate of one server. */
export function serveGate(policies: GatePolicies, { signingKey, evmKey }: GateKeys = {}): ServedWing {
  const judging = createJudging()
  return {
    provides: ({ context }) => ({
      judgeByPolicy: createPolicyJudge(policies, context, judging),
      chainsOfPolicy: (name) => policies.named.get(name)?.chainIds ?? [],
    }),
    endpoints: ({ context }) => {
      const gate = {
        ...context,
        policies,
        signingKey: signingKey ?? null,
        evmKey: evmKey ?? null,
        judging,
      }
      return (scope) => {
        addGateEndpoints(scope, gate)
        addSnapshotEndpoint(scope, gate)
      }
    },
    rootEndpoints: () => addVerifiedScript,
  }
}
