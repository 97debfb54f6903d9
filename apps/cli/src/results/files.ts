import { flag, list, named, number, oneOf, orNull, struct, text, union } from './kinds.ts'

export const Written = named('Written', 'File that the command wrote, with its size in bytes.', {
  file: text(),
  bytes: number(),
})
export type Written = typeof Written.Type

/** Results of commands with `--json`, by command. */
export const filesResults = {
  export: union([
    struct({ files: list(Written) }),
    struct({
      t: number(),
      seq: number(),
      scheme: text(),
      rails: number('Number of equal fabrics, one a rail, that the files serve.'),
      jobs: number(),
      files: list(text()),
    }),
  ]),
  plot: struct({
    kind: oneOf(['by-size', 'capacity', 'compare', 'ecdf', 'fabric', 'gantt', 'node-time', 'queue', 'utilization']),
    files: list(text()),
    rows: number(),
  }),
  sign: struct({
    format: oneOf(['cloister-log-signature']),
    version: oneOf([1]),
    seal: struct({ seq: number(), hash: text() }),
    key: text(
      'Public key of the signer, 32 bytes in base64url. Anybody can write the field: compare it with a trusted key.',
    ),
    signature: text('Ed25519 signature (RFC 8032) of `signedBytes`, 64 bytes in base64url.'),
    log: text(),
    file: text(),
  }),
  verify: struct({ ok: flag(), log: text(), records: number(), signed: number(), problem: orNull(text()) }),
  view: struct({ url: text() }),
}
