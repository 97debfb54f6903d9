declare module 'jstat' {
  /** Part of the package `jstat` that Cloister uses: Student's distribution. */
  const jstat: { readonly jStat: JStat }
  export default jstat
  interface JStat {
    readonly studentt: {
      /** Returns the quantile of Student's distribution below which `share` of the distribution lies. */
      readonly inv: (share: number, degreesOfFreedom: number) => number
    }
  }
}
