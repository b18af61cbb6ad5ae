import type { ApiContext } from '@attestry/server/apiContext.ts'
import type { HeavyWork } from '@attestry/server/pipeline/limits/heavyWork.ts'
import type { EvmKey } from './evmKey.ts'
import type { GatePolicies } from './gatePolicies.ts'
import type { SigningKey } from './readSigningKey.ts'

/** The parts that the endpoints of the gate share. */
export interface GateContext extends ApiContext {
  readonly policies: GatePolicies
  /** null: this server signs no JWS. */
  readonly signingKey: SigningKey | null
  /** null: this server signs nothing that contracts check. */
  readonly evmKey: EvmKey | null
  readonly judging: HeavyWork
}
