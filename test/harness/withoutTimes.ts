/**
 * The lines of an export without what the time of reading decides: times of storing, and which blocks are remembered.
 * Whether a record ever changed stays visible.
 */
export function comparableLines(exported: string): string[] {
  const lines = exported.trimEnd().split('\n')
  return lines.filter((line) => !line.startsWith('{"type":"block"')).map(withoutTimes)
}

function withoutTimes(line: string): string {
  const record = JSON.parse(line) as Record<string, unknown>
  if ('syncAt' in record) record.syncAt = typeof record.syncAt
  if ('lastSyncAt' in record) record.lastSyncAt = typeof record.lastSyncAt
  // The end covers what is left out.
  if (record.type === 'end') {
    delete record.sha256
    delete record.lines
    record.counts = { ...(record.counts as Record<string, number>), block: undefined }
  }
  // The block at which a claim was settled differs after an interruption.
  delete record.claim
  return JSON.stringify(record)
}
