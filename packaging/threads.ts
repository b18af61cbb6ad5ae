/** The modules below `packages/` that start as a thread. Imports lead to all other modules. */
export const threads = [
  'attestry/src/indexerThread.ts',
  'attestry/src/meanwhileThread.ts',
  'content/src/thread/contentThread.ts',
  'attestry/src/writer/writerThread.ts',
  'archive/src/commands/chunks/chunkThread.ts',
  'server/src/interfaces/explorer/pictures/pictureThread.ts',
  'attestry/src/workers/apiWorker.ts',
  // Threads and processes import them by their addresses.
  'attestry/src/wings.ts',
  'agents/src/agentProjection.ts',
]
