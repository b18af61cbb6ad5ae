import { exportWing } from '@attestry/archive/export/exportWing.ts'
import type { ServerConfig } from '@attestry/host/config/resolveServer.ts'
import type { Wing } from '@attestry/server/wing.ts'
import { easWing } from '@attestry/subgraphs/eas/easWing.ts'
import { erc8004Wing } from '@attestry/subgraphs/erc8004/erc8004Wing.ts'
import { veraxWing } from '@attestry/subgraphs/verax/veraxWing.ts'

/** The wings of a server, by its configuration. The only place that names them. */
export function listWings(server: Pick<ServerConfig, 'easLimits' | 'export'>): readonly Wing[] {
  const limits = server.easLimits ?? {}
  return [
    ...(server.export ? [exportWing()] : []),
    easWing({ limits }),
    veraxWing({ limits }),
    erc8004Wing({ limits }),
  ]
}
