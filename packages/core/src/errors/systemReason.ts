/** The meanings of the operating system's error codes, as parts of a sentence. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of its path is a file',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'it would exceed the limit on the size of files',
}

/** Why the operating system refused to write or read a file; null for any other error. */
export function systemReason(error: unknown): string | null {
  const code = systemCode(error)
  return code === null ? null : (reasons[code] ?? code)
}

/** The code of an error of the operating system, such as `ENOENT`; null for any other error. */
export function systemCode(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : null
}
