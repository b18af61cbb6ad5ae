import { agentsWing } from '@attestry/agents/agentsWing.ts'
import { chunksWing } from '@attestry/archive/chunks/chunksWing.ts'
import { exportWing } from '@attestry/archive/export/exportWing.ts'
import { sqlTablesWing } from '@attestry/archive/sqlTables/sqlTablesWing.ts'
import { outboxWing } from '@attestry/archive/commands/outbox/outboxWing.ts'
import { lakeWing } from '@attestry/archive/lake/lakeWing.ts'
import { namesWing } from '@attestry/names/namesWing.ts'
import { contentWing } from '@attestry/content/contentWing.ts'
import { hooksWing } from '@attestry/hooks/hooksWing.ts'
import { moduleBeside } from '@attestry/core/model/moduleBeside.ts'
import type { Wing } from '@attestry/server/wing.ts'
import { easWing } from '@attestry/subgraphs/eas/easWing.ts'
import { erc8004Wing } from '@attestry/subgraphs/erc8004/erc8004Wing.ts'
import { veraxWing } from '@attestry/subgraphs/verax/veraxWing.ts'
import { gateWing } from '@attestry/trust/gate/gateWing.ts'
import { offchainWing } from '@attestry/trust/offchain/offchainWing.ts'
import { proofsWing } from '@attestry/trust/proofs/proofsWing.ts'
import { verifyWing } from '@attestry/verify/commands/verifyWing.ts'
import { explorerWing } from '@attestry/server/interfaces/explorer/explorerWing.ts'
import { guideWing } from '@attestry/server/interfaces/guide/guideWing.ts'
import { mcpWing } from '@attestry/server/interfaces/mcp/mcpWing.ts'
import { setupWing } from './setupWing.ts'

/** The wings of the program: the only place that names them. Their commands and keys have this order. */
export const wings: readonly Wing[] = [
  agentsWing,
  exportWing,
  chunksWing,
  lakeWing,
  outboxWing,
  sqlTablesWing,
  verifyWing,
  hooksWing,
  setupWing,
  explorerWing,
  guideWing,
  mcpWing,
  proofsWing,
  gateWing,
  offchainWing,
  contentWing,
  namesWing,
  easWing,
  veraxWing,
  erc8004Wing,
]

/** The address of this module, which every thread and process imports. */
export const { href: url } = moduleBeside(import.meta.url, './wings')
