import type { ServedWing } from '@attestry/server/wing.ts'
import { addGateEndpoints } from './addGateEndpoints.ts'
import { addSnapshotEndpoint } from './addSnapshotEndpoint.ts'
import type { GatePolicies } from './gatePolicies.ts'
import { createJudging, createPolicyJudge } from './judgeSubjects.ts'
import type { SigningKey } from './readSigningKey.ts'

/**
 * The gate of one server.
 * @param signingKey null: this server signs nothing.
 */
export function serveGate(policies: GatePolicies, signingKey: SigningKey | null = null): ServedWing {
  const judging = createJudging()
  return {
    provides: ({ context }) => ({
      judgeByPolicy: createPolicyJudge(policies, context, judging),
      chainsOfPolicy: (name) => policies.named.get(name)?.chainIds ?? [],
    }),
    endpoints: ({ context }) => {
      const gate = { ...context, policies, signingKey, judging }
      return (scope) => {
        addGateEndpoints(scope, gate)
        addSnapshotEndpoint(scope, gate)
      }
    },
  }
}
