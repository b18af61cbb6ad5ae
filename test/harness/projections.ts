import { projection } from '@attestry/agents/agentProjection.ts'

/** The projections of the program, for tests that open its databases themselves. */
export const projections = [projection]
