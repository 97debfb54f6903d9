declare module 'jstat' {
  /** Student's distribution: the only used part of the package. */
  const jstat: { readonly jStat: JStat }
  export default jstat
  interface JStat {
    readonly studentt: {
      /** Returns the quantile of the distribution: a given share of the distribution lies below the quantile. */
      readonly inv: (share: number, degreesOfFreedom: number) => number
    }
  }
}
