import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ModelService, ModelsSchema } from "@drs/client/gen/drs/v1/models_pb";
import type { Domain } from "../../domain/domain.ts";
import { listModels, type ModelsView, useModel } from "../../domain/models/models.ts";
import { callerOf } from "./caller.ts";

export function modelService(domain: Domain): ServiceImpl<typeof ModelService> {
  return {
    async listModels(_request, context) {
      return { models: modelsMessage(await listModels(domain, { caller: callerOf(context) })) };
    },
    async useModel({ id }, context) {
      const { signal } = context;
      return { models: modelsMessage(await useModel(domain, { caller: callerOf(context), input: { id }, signal })) };
    },
  };
}

function modelsMessage({ inUse, packs, progress }: ModelsView): MessageInitShape<typeof ModelsSchema> {
  const { failures, failed, datasetsDone, datasetsTotal, pagesDone, pagesTotal } = progress;
  return {
    inUse,
    packs: packs.map(({ id, place, isInUse, about, datasets }) => ({
      id,
      place,
      inUse: isInUse,
      licence: about?.licence ?? "",
      languages: [...(about?.languages ?? [])],
      description: about?.description ?? "",
      bytes: about?.bytes ?? 0,
      spaces: (about?.spaces ?? []).map(({ name, kind, dimensions = 0 }) => ({ name, kind, dimensions })),
      datasets,
    })),
    progress: {
      datasetsDone,
      datasetsTotal,
      pagesDone,
      pagesTotal,
      datasetsFailed: failed,
      failures: failures.map(({ datasetId, reason }) => ({ datasetId, reason })),
    },
  };
}
