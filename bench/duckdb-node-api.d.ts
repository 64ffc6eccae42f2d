// The part of the package that the benchmark uses, so that types can be checked if it is not installed.
declare module "@duckdb/node-api" {
  export class DuckDBInstance {
    static create(path: string, options: Readonly<Record<string, string>>): Promise<DuckDBInstance>;
    connect(): Promise<DuckDBConnection>;
    closeSync(): void;
  }
  export class DuckDBConnection {
    run(sql: string): Promise<unknown>;
    runAndReadAll(sql: string): Promise<{ getRowsJS(): unknown[][] }>;
    closeSync(): void;
  }
}
