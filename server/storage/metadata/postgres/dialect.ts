import { type DataTypeNode, PostgresDialect, PostgresQueryCompiler } from "kysely";

/** PostgreSQL, as the stores' queries and the migrations expect a database to behave. */
export class CodePointDialect extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new CodePointCompiler();
  }
}

/** Text is compared by its code points, as in SQLite, whatever the database's own collation is. */
class CodePointCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    if (node.dataType === "text") this.append(' collate "C"');
  }
}
